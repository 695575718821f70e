import { Schema } from "effect"
import { field } from "./Field.ts"

/** The accepted formats of a logo. */
export const LogoMediaType = Schema.Literals(["image/png", "image/jpeg"])

/** The maximum size of a logo, in bytes. */
export const pictureBytesMax = 200_000

const shown = {
  media_type: field(LogoMediaType, "Format of the logo.", "image/png"),
  width: field(Schema.Int, "Width of the logo, in pixels.", 480),
  height: field(Schema.Int, "Height of the logo, in pixels.", 160)
}

/** The reference from an issuer to its logo: the SHA-256 of the bytes (hex), the format, and the size in pixels. */
export const LogoImprint = Schema.Struct({ sha256: Schema.String, ...shown })
export type LogoImprint = typeof LogoImprint.Type

/** The logo of an account. */
export class Logo extends Schema.Opaque<Logo>()(
  Schema.Struct({
    ...shown,
    url: field(Schema.String, "Path of the logo.", "/v1/account/logo")
  }).annotate({ identifier: "Logo", description: "The logo on the issuer's printed documents." })
) {}
