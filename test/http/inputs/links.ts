import { type FileKind, filePath, linkKey, signedPath } from "../../../src/domain/requests/FileLink.ts"
import { startOfTest, testMode } from "../../support/apps/Accounts.ts"

export const noKey = { authorization: undefined }

/** A link of the account's test mode; `lasts` is in seconds from the beginning of the tests, `key` each byte of the secret key. */
export const linkTo = (
  id: string,
  {
    file = "pdf",
    key = 7,
    lasts = 3_600,
    ...account
  }: { readonly file?: FileKind; readonly key?: number; readonly lasts?: number } & Partial<typeof testMode> = {}
) =>
  signedPath(
    { ...testMode, ...account, path: filePath(id, file), expires: startOfTest / 1_000 + lasts },
    linkKey(new Uint8Array(32).fill(key))
  )
