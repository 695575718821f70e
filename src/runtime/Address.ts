import type { AccountMode } from "../../schemas/Account.ts"
import { AccountId, DocumentId, WebhookEndpointId } from "../../schemas/Id.ts"

/**
 * The address of an account's actor: `ten_…/test` or `ten_…/live`. Actors of the account's documents and endpoints
 * append `/inv_…`, `/cn_…`, `/dn_…` or `/we_…`.
 */
export const accountAddress = (account: AccountMode): string =>
  `${account.account_id}/${account.livemode ? "live" : "test"}`

export type MemberKey = AccountMode & { readonly id: string }

export const memberAddress = (key: MemberKey): string => `${accountAddress(key)}/${key.id}`

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
