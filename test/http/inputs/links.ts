import { type FileKind, filePath, linkKey, signedPath } from "../../../src/invoices/rules/FileLink.ts"
import { startOfTest, testMode } from "../../support/apps/Accounts.ts"

export const noKey = { authorization: undefined }

/** A link of the account's test mode. It expires `lasts` seconds after `now`. Each byte of the secret key is `key`. */
export const linkTo = (
  id: string,
  {
    file = "pdf",
    key = 7,
    lasts = 3_600,
    now = startOfTest,
    ...account
  }: { readonly file?: FileKind; readonly key?: number; readonly lasts?: number; readonly now?: number } & Partial<
    typeof testMode
  > = {}
) =>
  signedPath(
    { ...testMode, ...account, path: filePath(id, file), expires: Math.ceil(now / 1_000) + lasts },
    linkKey(new Uint8Array(32).fill(key))
  )

/** A link that expires an hour from now, by the real clock. */
export const link = (id: string, options: Parameters<typeof linkTo>[1] = {}) =>
  linkTo(id, { now: Date.now(), ...options })
