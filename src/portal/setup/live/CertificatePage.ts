import { Clock, Effect, Layer } from "effect"
import type { Account } from "../../../../schemas/Account.ts"
import { type Html, html } from "../../../http/pages/Html.ts"
import type { Form } from "../../forms/SentForm.ts"
import { faultsOf } from "../../forms/FormBody.ts"
import { field, form, refusedForm } from "../../forms/FormFields.ts"
import { time } from "../../frame/Formats.ts"
import { notice, section, state, wideFacts } from "../../frame/Parts.ts"
import { orShown, type Refusal } from "../../frame/Refusal.ts"
import { change, page } from "../../frame/PortalRoutes.ts"
import type { Visit } from "../../frame/Visit.ts"
import { fileIn, liveOnly, readAccount, setupPage, setupRoot } from "../SetupPage.ts"
import { untilMoment } from "../SetupTerms.ts"

const path = `${setupRoot}/certificate` as const
const names = ["pkcs12", "password"]

// The most bytes that the API accepts in base64.
const fileBytesMax = 49_152

/** The body of the upload. Fails without a file, and for a file that is too large for a certificate. */
const requestOf = ({ t }: Visit, sent: Form) =>
  Effect.map(
    fileIn(sent, "pkcs12", fileBytesMax, {
      none: t("Choose the certificate file.", "Elija el archivo del certificado."),
      tooLarge: t(
        "The file is too large for one certificate with its key. Choose the .p12 or .pfx file.",
        "El archivo pasa del tamaño de un certificado con su clave. Elija el archivo .p12 o .pfx."
      )
    }),
    ({ bytes }) => ({ pkcs12: Buffer.from(bytes).toString("base64"), password: sent.raw("password") })
  )

/** The current certificate: its holder and its end. */
const current = (visit: Visit, { certificate }: Account, at: number): Html => {
  const { t } = visit
  if (certificate === null) {
    return html`<p>
      ${t("No certificate. Folio can’t sign documents without it.", "Sin certificado. Folio no puede firmar documentos sin él.")}
    </p>`
  }
  const { isOver, isSoon, tone, words } = untilMoment(t, certificate.not_after, at)
  const advice = isOver
    ? t(
        "Folio signs nothing until you upload a new certificate.",
        "Folio no firma nada hasta que usted suba un certificado nuevo."
      )
    : t(
        "Order a new certificate from the certification body now, and upload it here before the last day.",
        "Solicite ya un certificado nuevo a la entidad de certificación, y súbalo aquí antes del último día."
      )
  return html`${wideFacts([
    [t("Status", "Estado"), state(tone, words)],
    [t("Holder", "Titular"), certificate.subject],
    [t("Valid until", "Vigente hasta"), time(visit, certificate.not_after)]
  ])}
  ${isOver || isSoon ? html`<p class="${tone}">${advice}</p>` : null}`
}

const upload = (visit: Visit, refusal: Refusal | undefined): Html => {
  const { t } = visit
  const faults = faultsOf(refusal?.errors, names)
  return form(visit, {
    action: path,
    submit: t("Upload certificate", "Subir certificado"),
    kind: "first",
    hasFile: true,
    content: html`<div class="fields">
        ${field("pkcs12", t("File", "Archivo"), {
          hint: t("PKCS#12: .p12 or .pfx", "PKCS#12: .p12 o .pfx"),
          type: "file",
          accept: ".p12,.pfx,application/x-pkcs12",
          error: faults.of("pkcs12")
        })}
        ${field("password", t("File password", "Contraseña del archivo"), {
          type: "password",
          error: faults.of("password")
        })}
      </div>
      <p class="soft">
        ${t(
          "Folio stores the private key encrypted and never shows it. Folio does not store the password.",
          "Folio guarda la clave privada cifrada y nunca la muestra. Folio no guarda la contraseña."
        )}
      </p>`
  })
}

const certificatePage = Effect.fnUntraced(function* (visit: Visit, refusal?: Refusal) {
  const account = yield* readAccount(visit)
  const { may, session, t } = visit
  const uploading = may("setup") ? section("upload", t("Upload", "Subir"), upload(visit, refusal)) : null
  const ofTest = t(
    "Folio signs test documents with the sandbox certificate, and live documents with your certificate.",
    "Folio firma los documentos de prueba con el certificado de pruebas, y los documentos de producción con su certificado."
  )
  return setupPage(
    visit,
    t("Certificate", "Certificado"),
    t("The certificate that signs your documents", "El certificado que firma sus documentos"),
    [
      notice(visit, { saved: t("Certificate saved.", "Certificado guardado.") }),
      refusedForm(visit, refusal, (param) => names.includes(param)),
      section("certificate", t("Certificate", "Certificado"), current(visit, account, yield* Clock.currentTimeMillis)),
      session.principal.livemode ? uploading : liveOnly(visit, "live", ofTest)
    ]
  )
})

/** The page of the certificate. */
export const layer = Layer.mergeAll(
  page(path, (visit) => certificatePage(visit)),
  change(path, (visit, sent) =>
    requestOf(visit, sent).pipe(
      Effect.flatMap((body) => visit.send("POST", "/v1/account/certificate", body, sent)),
      Effect.as({ to: path, notice: "saved" }),
      orShown((refusal) => certificatePage(visit, refusal))
    )
  )
)
