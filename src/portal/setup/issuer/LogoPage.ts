import { Effect, Layer } from "effect"
import type { Account } from "../../../../schemas/Account.ts"
import { pictureBytesMax } from "../../../../schemas/Logo.ts"
import { attributes, type Html, html } from "../../../http/pages/Html.ts"
import type { Form } from "../../forms/SentForm.ts"
import { action, field, form, refusedForm } from "../../forms/FormFields.ts"
import type { Page } from "../../frame/PortalLayout.ts"
import { notice, section } from "../../frame/Parts.ts"
import { orShown, type Refusal } from "../../frame/Refusal.ts"
import { change, page } from "../../frame/PortalRoutes.ts"
import type { Visit } from "../../frame/Visit.ts"
import { fileIn, ofAccount, readAccount, setupPage, setupRoot } from "../SetupPage.ts"

const path = `${setupRoot}/logo` as const
const most = `${pictureBytesMax / 1_000}\u00a0kB`

/** The media type of a file, by its first bytes. */
const mediaTypeOf = (bytes: Uint8Array) => (bytes[0] === 0xff && bytes[1] === 0xd8 ? "image/jpeg" : "image/png")

const chosenFile = ({ t }: Visit, sent: Form) =>
  fileIn(sent, "logo", pictureBytesMax, {
    none: t("Choose a file.", "Elija un archivo."),
    tooLarge: t(
      `The file is larger than ${most}. Choose a smaller picture.`,
      `El archivo pasa de ${most}. Elija una imagen más pequeña.`
    )
  })

const current = (visit: Visit, { logo }: Account): Html => {
  const { may, t, to } = visit
  if (logo === undefined) {
    return html`<p>${t("Documents have no logo.", "Los documentos no tienen logo.")}</p>`
  }
  const picture = attributes({
    src: to(`${path}/picture`),
    alt: t("Logo", "Logo"),
    width: String(logo.width),
    height: String(logo.height),
    class: "paper"
  })
  return html`<p><img ${picture} /></p>
    <p class="soft">
      ${logo.media_type === "image/png" ? "PNG" : "JPEG"}, ${logo.width} × ${logo.height} ${t("pixels", "píxeles")}
    </p>
    ${may("setup") ? action(visit, { action: `${path}/remove`, submit: t("Remove logo", "Quitar logo") }) : null}`
}

const upload = (visit: Visit, { logo }: Account, refusal?: Refusal): Html => {
  const { t } = visit
  return section(
    "upload",
    logo === undefined ? t("Add logo", "Agregar logo") : t("Replace logo", "Cambiar logo"),
    form(visit, {
      action: path,
      submit: t("Save logo", "Guardar logo"),
      kind: "first",
      hasFile: true,
      content: field("logo", t("File", "Archivo"), {
        type: "file",
        accept: "image/png,image/jpeg",
        hint: t(
          `PNG or JPEG of at most ${most}, neither animated nor interlaced`,
          `PNG o JPEG de máximo ${most}, sin animación ni entrelazado`
        ),
        error: refusal?.errors.map(({ message }) => message).join(" ") || undefined
      })
    })
  )
}

const logoPage = (visit: Visit, account: Account, refusal?: Refusal): Page => {
  const { may, t } = visit
  const about = t(
    "Folio prints the logo on documents numbered from now on. Earlier documents keep their logo.",
    "Folio imprime el logo en los documentos que se numeren desde ahora. Los documentos anteriores conservan su logo."
  )
  return setupPage(visit, t("Logo", "Logo"), about, [
    notice(visit, {
      saved: t("Logo saved.", "Logo guardado."),
      removed: t("Logo removed.", "Logo quitado.")
    }),
    refusedForm(visit, refusal, () => true),
    section("logo", t("Logo", "Logo"), current(visit, account)),
    may("setup") ? upload(visit, account, refusal) : null
  ])
}

/** The pages of the logo. */
export const layer = Layer.mergeAll(
  page(path, ofAccount(logoPage)),
  page(`${path}/picture`, (visit) =>
    Effect.map(visit.file("/v1/account/logo"), ({ body, headers }) => ({
      body,
      contentType: headers.get("content-type") ?? "application/octet-stream"
    }))
  ),
  change(path, (visit, sent) =>
    Effect.flatMap(readAccount(visit), (account) =>
      chosenFile(visit, sent).pipe(
        Effect.flatMap(({ bytes }) =>
          visit.upload("PUT", "/v1/account/logo", { bytes, contentType: mediaTypeOf(bytes) })
        ),
        Effect.as({ to: path, notice: "saved" }),
        orShown((refusal) => logoPage(visit, account, refusal))
      )
    )
  ),
  change(`${path}/remove`, ({ send }) => Effect.as(send("DELETE", "/v1/account/logo"), { to: path, notice: "removed" }))
)
