import type { AccountMode } from "../../../schemas/Account.ts"
import type { AccountId } from "../../../schemas/Id.ts"

/** The accounts to which a quarter or more of a page of at most `pageMax` rows belongs. */
export const crowding = (
  page: ReadonlyArray<Pick<AccountMode, "account_id">>,
  pageMax: number
): ReadonlyArray<AccountId> =>
  [...Map.groupBy(page, ({ account_id }) => account_id)]
    .filter(([, own]) => own.length >= pageMax / 4)
    .map(([account_id]) => account_id)
