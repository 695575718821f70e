import type { AccountMode } from "../../schemas/Account.ts"
import { AccountId, DocumentId, WebhookEndpointId } from "../../schemas/Id.ts"

/** An actor's address says what it owns: `ten_…/test`, and under it `inv_…`, `cn_…`, `dn_…` or `we_…`. */
export const accountAddress = (of: AccountMode): string => `${of.account_id}/${of.livemode ? "live" : "test"}`

export const memberAddress = (key: AccountMode & { readonly id: string }): string => `${accountAddress(key)}/${key.id}`

export const accountModeOf = (address: string): AccountMode => {
  const [account = "", mode] = address.split("/")
  return { account_id: AccountId.make(account), livemode: mode === "live" }
}

const memberOf = (address: string): string => address.split("/")[2] ?? ""

export const invoiceKeyOf = (address: string) => ({
  ...accountModeOf(address),
  id: DocumentId.make(memberOf(address) as DocumentId)
})

export const endpointKeyOf = (address: string) => ({
  ...accountModeOf(address),
  id: WebhookEndpointId.make(memberOf(address))
})
