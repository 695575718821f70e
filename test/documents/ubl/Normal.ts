import type { FiscalDocument } from "../../../src/documents/ubl/FiscalDocument.ts"
import type { DocumentContent } from "../../../src/documents/print/DocumentContent.ts"

type Party = FiscalDocument["acquirer"]

const located = <P extends Party>(party: P): P => {
  const { address, city_code, department_code } = party
  const isSomewhere = [address, city_code, department_code, party.country_code].some((part) => part !== undefined)
  if (!isSomewhere) return party
  const country_code = party.country_code ?? "CO"
  const department = department_code ?? (country_code === "CO" ? city_code?.slice(0, 2) : undefined)
  return { ...party, country_code, ...(department === undefined ? {} : { department_code: department }) }
}

/** What a document must be read as: as it was, with what is written of it for being understood. */
export const normal = (document: FiscalDocument): DocumentContent => ({
  ...document,
  operation_type: document.kind === "invoice" ? document.operation_type : null,
  issuer: located(document.issuer),
  acquirer: located(document.acquirer)
})
