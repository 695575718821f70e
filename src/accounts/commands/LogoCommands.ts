import { Effect, Struct } from "effect"
import { hash } from "node:crypto"
import { inflate } from "node:zlib"
import type { Issuer } from "../../../schemas/Account.ts"
import { ApiError } from "../../../schemas/ApiError.ts"
import { damaged, isWhole, type Picture, type Raster, readPicture } from "../rules/Picture.ts"
import { violation } from "../../documents/rules/AuthorityRules.ts"
import * as AccountTurns from "../../runtime/turns/AccountTurns.ts"
import * as ShownAccounts from "../ShownAccounts.ts"
import { Accounts } from "../store/Accounts.ts"
import type { StoredLogo } from "../store/Logos.ts"
import * as Command from "../Command.ts"

/** The limits of reading pictures: two at a time in this process, one for each account. */
const reading: AccountTurns.TurnOptions = {
  what: "picture",
  atOnce: 2,
  ofOwnerAtOnce: 1,
  waiting: { ofAsker: 3, ofOwner: 3, inAll: 32 },
  maxWait: "4 seconds"
}

const noIssuer = new ApiError({
  code: "account_not_live",
  message:
    "The account has no live issuer yet, so no documents can show a logo: first send all of the issuer's data to PATCH /v1/account."
})

const invalid = (message: string) => ApiError.fromViolations([violation("body", "parameter_invalid", message, "logo")])

/** Decompresses the pixels off the event loop, up to the size of the picture. */
const decompressed = (raster: Raster) =>
  Effect.callback<Picture, string>((resume) => {
    const { compressed, picture, rowBytes } = raster
    inflate(compressed, { maxOutputLength: rowBytes * picture.height }, (error, pixels) => {
      resume(error === null && isWhole(raster, pixels) ? Effect.succeed(picture) : Effect.fail(damaged))
    })
  })

const pictureOf = (bytes: Uint8Array) =>
  Effect.flatMap(Effect.fromResult(readPicture(bytes)), (read) =>
    "raster" in read ? decompressed(read.raster) : Effect.succeed(read.picture)
  )

/** The commands that set and remove the logo on an issuer's PDFs. */
export const make = Effect.gen(function* () {
  const accounts = yield* Accounts
  const shown = yield* ShownAccounts.make
  const inTurn = AccountTurns.make(reading)

  const changed = Effect.fnUntraced(function* (
    account: Parameters<typeof accounts.update>[0],
    beside: ShownAccounts.Beside,
    change: (issuer: Issuer) => Issuer
  ) {
    const updated = yield* accounts.update(account, (before) =>
      before.issuer === null ? Effect.fail(noIssuer) : Effect.succeed({ ...before, issuer: change(before.issuer) })
    )
    return {
      answer: Command.ok(shown.view(updated, beside)),
      audit: [["account.updated", account.account_id, { changed: ["logo"] }] as const],
      after: accounts.forget(account)
    }
  })

  const PutLogo = Command.alone("PutLogo", {
    // Decompresses the picture before the command's turn and transaction.
    isBeforeLong: true,
    before: function* (account, { bytes, context }) {
      const read = Effect.mapError(pictureOf(bytes), invalid)
      const picture = yield* inTurn({ owner: account.account_id, asker: context.api_key_id }, read)
      const logo: StoredLogo = { sha256: hash("sha256", bytes, "hex"), ...picture, bytes }
      return { logo, beside: yield* shown.beside(account) }
    },
    run: function* (account, _payload, { beside, logo }) {
      yield* accounts.keepLogo(account, logo)
      const { bytes: _bytes, ...imprint } = logo
      return yield* changed(account, beside, (issuer) => ({ ...issuer, logo: imprint }))
    }
  })

  const DeleteLogo = Command.alone("DeleteLogo", {
    before: (account) => shown.beside(account),
    run: (account, _payload, beside) => changed(account, beside, (issuer) => Struct.omit(issuer, ["logo"]))
  })

  return { PutLogo, DeleteLogo }
})
