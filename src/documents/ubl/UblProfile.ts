/*
 * Constants that the national profile of UBL 2.1 prescribes verbatim. The authority's own name appears here because the
 * format requires it; other code writes "the authority".
 */

const ubl = "urn:oasis:names:specification:ubl:schema:xsd:"

/**
 * The namespace declarations of a document, as attributes of the root element `root`, in the order of canonical XML.
 * The root declares every namespace, so that no element below needs to declare one.
 */
export const namespaces = (root: string): string =>
  `xmlns="${ubl}${root}-2" xmlns:cac="${ubl}CommonAggregateComponents-2" xmlns:cbc="${ubl}CommonBasicComponents-2" ` +
  `xmlns:ds="http://www.w3.org/2000/09/xmldsig#" xmlns:ext="${ubl}CommonExtensionComponents-2" ` +
  'xmlns:sts="dian:gov:co:facturaelectronica:Structures-2-1" xmlns:xades="http://uri.etsi.org/01903/v1.3.2#" ' +
  'xmlns:xades141="http://uri.etsi.org/01903/v1.4.1#"'

/** The element names that differ by the kind of document. A line is called `cac:`, the root's name, `Line`. */
export const elementNames = {
  invoice: { root: "Invoice", total: "cac:LegalMonetaryTotal", quantity: "cbc:InvoicedQuantity" },
  credit_note: { root: "CreditNote", total: "cac:LegalMonetaryTotal", quantity: "cbc:CreditedQuantity" },
  debit_note: { root: "DebitNote", total: "cac:RequestedMonetaryTotal", quantity: "cbc:DebitedQuantity" }
} as const

export const ublVersion = "UBL 2.1"

/** The `cbc:ProfileID` of a document, by the name of the document's root element. */
export const profiles = {
  Invoice: "DIAN 2.1: Factura Electrónica de Venta",
  CreditNote: "DIAN 2.1: Nota Crédito de Factura Electrónica de Venta",
  DebitNote: "DIAN 2.1: Nota Débito de Factura Electrónica de Venta",
  ApplicationResponse: "DIAN 2.1",
  AttachedDocument: "Factura Electrónica de Venta"
} as const

/** The authority's NIT with its check digit, and the authority's legal name. */
export const authority = {
  identification: { type: "31", number: "800197268", check_digit: "4" },
  name: "Unidad Especial Dirección de Impuestos y Aduanas Nacionales"
} as const

const agencyName = "CO, DIAN (Dirección de Impuestos y Aduanas Nacionales)"

/**
 * Attributes that name the agency of the lists of identifications and codes. In canonical order, they precede all
 * others.
 */
export const agency = ` schemeAgencyID="195" schemeAgencyName="${agencyName}"`

/** Attributes that name the code list of the home country's code. */
export const countryList =
  ' listAgencyID="6" listAgencyName="United Nations Economic Commission for Europe"' +
  ' listSchemeURI="urn:oasis:names:specification:ubl:codelist:gc:CountryIdentificationCode-2.1"'

/** The URL of the signature policy, and the SHA-256 of the policy's text in base64. */
export const signaturePolicy = {
  url: "https://facturaelectronica.dian.gov.co/politicadefirma/v2/politicadefirmav2.pdf",
  digest: "dMoMvtcG5aIzgYo0tIsSQeVJBDnUnfSOfBpxXrmor0Y="
} as const

export const attachedDocument = { customization: "Documentos adjuntos", type: "Contenedor de Factura Electrónica" }
