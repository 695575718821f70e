import { Schema } from "effect"
import { field } from "./Field.ts"

/** The formats of pictures that documents are printed with. */
export const LogoMediaType = Schema.Literals(["image/png", "image/jpeg"])

/** The largest size of a picture's file, in bytes. */
export const pictureBytesMax = 200_000

const shown = {
  media_type: field(LogoMediaType, "The format of the picture.", "image/png"),
  width: field(Schema.Int, "The width of the picture, in pixels.", 480),
  height: field(Schema.Int, "The height of the picture, in pixels.", 160)
}

/** Which picture an issuer's documents are printed with: the SHA-256 of its bytes (hex), its format, and its size in pixels. */
export const LogoImprint = Schema.Struct({ sha256: Schema.String, ...shown })
export type LogoImprint = typeof LogoImprint.Type

/** The logo as the account shows it. */
export class Logo extends Schema.Opaque<Logo>()(
  Schema.Struct({
    ...shown,
    url: field(Schema.String, "The path at which the picture is found.", "/v1/account/logo")
  }).annotate({ identifier: "Logo", description: "The picture that the issuer's documents are printed with." })
) {}
