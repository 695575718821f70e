import { Schema } from "effect"
import { AuthorityError } from "../../../schemas/FiscalDocument.ts"
import { storableText } from "../../runtime/json/Storable.ts"

/** A verdict of any `Authority`. */
export const GivenVerdict = Schema.Struct({
  accepted: Schema.Boolean,
  errors: Schema.Array(AuthorityError),
  notifications: Schema.Array(AuthorityError),
  answer: Schema.Unknown
})

/** The errors in storable form: at most `errorsMax`, each text of at most `textMax` characters. */
export const storableErrors = (
  errors: ReadonlyArray<AuthorityError>,
  { errorsMax, textMax }: { readonly errorsMax: number; readonly textMax: number }
): ReadonlyArray<AuthorityError> => {
  const storable = (text: string) => storableText(text, textMax)
  return errors.slice(0, errorsMax).map(({ hint, message, path, rule, severity }) => ({
    rule: storable(rule),
    severity,
    message: storable(message),
    path: path === null ? null : storable(path),
    hint: hint === null ? null : storable(hint)
  }))
}
