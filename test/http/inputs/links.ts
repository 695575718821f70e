import { type FileKind, filePath, linkKey, signedPath } from "../../../src/domain/requests/FileLink.ts"
import { startOfTest, testMode } from "../../support/apps/Accounts.ts"

export const noKey = { authorization: undefined }

/** A link of the account's test mode; `lasts` is in seconds from `from`, the beginning of the tests in memory, `key` each byte of the secret key. */
export const linkTo = (
  id: string,
  {
    file = "pdf",
    from = startOfTest,
    key = 7,
    lasts = 3_600,
    ...account
  }: { readonly file?: FileKind; readonly from?: number; readonly key?: number; readonly lasts?: number } & Partial<
    typeof testMode
  > = {}
) =>
  signedPath(
    { ...testMode, ...account, path: filePath(id, file), expires: Math.ceil(from / 1_000) + lasts },
    linkKey(new Uint8Array(32).fill(key))
  )
