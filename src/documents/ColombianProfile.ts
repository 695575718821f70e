import { Effect, Layer, Result } from "effect"
import { customerViolations, issuerViolations, lacksOfIssuer } from "./rules/parties/PartyRules.ts"
import { resolutionViolations } from "./rules/parties/ResolutionRules.ts"
import { colombianSandbox } from "./rules/parties/SandboxIds.ts"
import { softwareLack } from "./rules/parties/SoftwareRules.ts"
import { processedBefore, withRule } from "./rules/AuthorityRules.ts"
import { issueTime, localDate } from "../runtime/AuthorityTime.ts"
import { cufe, documentTail } from "./rules/Cufe.ts"
import { invoiceViolations, invoiceWarnings, noteViolations, noteWarnings } from "./rules/LocalRules.ts"
import { catalogueUrl } from "./rules/QrText.ts"
import { type Draft, NationalProfile, Unsignable } from "./NationalProfile.ts"
import { attachedDocument } from "./email/AttachedDocument.ts"
import { signDocument } from "./signature/SignedDocument.ts"
import { sandboxSoftware, type Software } from "./ubl/UblSoftware.ts"

const unsignable = (message: string) => new Unsignable({ code: "software_not_registered", message })
const noSoftware = unsignable(`The document cannot be signed: ${softwareLack}.`)
const noPin = unsignable(`A note's code needs the PIN of the software: ${softwareLack}. Then retry the note.`)

/**
 * The profile of Colombia: UBL 2.1 with XAdES-EPES, the codes CUFE and CUDE, the rules of the DIAN. `live`: the
 * software registered with the authority, for live documents of accounts without their own software. Without `live`, no
 * live document of these accounts is signed. `test`: the same for test documents. If omitted, they name a software that
 * does not exist.
 */
export const layer = ({
  live,
  test = sandboxSoftware
}: {
  readonly live: Software | undefined
  readonly test?: Software
}): Layer.Layer<NationalProfile> => {
  const softwareOf = (livemode: boolean, own: Software | undefined) => own ?? (livemode ? live : test)

  const tail = ({ acquirer_number, issuer_number, kind, software, technical_key, ...rest }: Draft) => {
    const key = kind === "invoice" ? technical_key : softwareOf(rest.livemode, software)?.pin
    return key === undefined
      ? Result.fail(noPin)
      : Result.succeed(documentTail({ ...rest, supplier_nit: issuer_number, customer_id: acquirer_number, key }))
  }

  const withSoftware = <A, E>(
    environment: "1" | "2",
    own: Software | undefined,
    use: (software: Software) => Effect.Effect<A, E>
  ): Effect.Effect<A, E | Unsignable> => {
    const software = softwareOf(environment === "1", own)
    return software === undefined ? Effect.fail(noSoftware) : use(software)
  }

  return Layer.succeed(
    NationalProfile,
    NationalProfile.of({
      localDate,
      issueTime,
      rules: {
        invoice: invoiceViolations,
        note: noteViolations,
        warnings: invoiceWarnings,
        noteWarnings,
        customer: customerViolations,
        issuer: issuerViolations,
        resolution: resolutionViolations,
        named: withRule
      },
      sandbox: colombianSandbox,
      numbering: { separator: "", digits: 0 },
      processedBefore,
      code: ({ acquirer, environment, full_number, issuer, ...rest }) =>
        Result.map(
          tail({
            ...rest,
            livemode: environment === "1",
            issuer_number: issuer.identification.number,
            acquirer_number: acquirer.identification.number
          }),
          (text) => cufe(full_number, text)
        ),
      tail,
      pageOf: (document) => catalogueUrl(document.livemode ? "1" : "2", document.cufe),
      lacks: [],
      ...(live === undefined ? { lackOfSoftware: softwareLack } : {}),
      lacksOf: lacksOfIssuer,
      sign: (document, certificate, own) =>
        withSoftware(document.environment, own, (software) => signDocument(document, software, certificate)),
      attach: (accepted, certificate, own) =>
        withSoftware(accepted.document.environment, own, (software) =>
          attachedDocument(accepted, software, certificate)
        )
    })
  )
}
