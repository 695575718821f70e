/*
 * What the national profile of UBL 2.1 fixes, word for word. The authority's own name stands here because the format demands
 * it; everywhere else it is the authority.
 */

const ubl = "urn:oasis:names:specification:ubl:schema:xsd:"

/**
 * The namespaces of a document, as the attributes of its root: in the order of canonical XML, and all of them, so that no
 * element below has to declare one.
 */
export const namespaces = (root: string): string =>
  `xmlns="${ubl}${root}-2" xmlns:cac="${ubl}CommonAggregateComponents-2" xmlns:cbc="${ubl}CommonBasicComponents-2" ` +
  `xmlns:ds="http://www.w3.org/2000/09/xmldsig#" xmlns:ext="${ubl}CommonExtensionComponents-2" ` +
  'xmlns:sts="dian:gov:co:facturaelectronica:Structures-2-1" xmlns:xades="http://uri.etsi.org/01903/v1.3.2#" ' +
  'xmlns:xades141="http://uri.etsi.org/01903/v1.4.1#"'

export const ublVersion = "UBL 2.1"

/** What a document is, by its root element. */
export const profiles = {
  Invoice: "DIAN 2.1: Factura Electrónica de Venta",
  CreditNote: "DIAN 2.1: Nota Crédito de Factura Electrónica de Venta",
  DebitNote: "DIAN 2.1: Nota Débito de Factura Electrónica de Venta",
  ApplicationResponse: "DIAN 2.1",
  AttachedDocument: "Factura Electrónica de Venta"
} as const

/** Who the authority is. */
export const authority = {
  number: "800197268",
  check_digit: "4",
  name: "Unidad Especial Dirección de Impuestos y Aduanas Nacionales"
} as const

const agencyName = "CO, DIAN (Dirección de Impuestos y Aduanas Nacionales)"

/** Who keeps the lists that identifications and codes are of; attributes of many elements, the first two in their order. */
export const agency = ` schemeAgencyID="195" schemeAgencyName="${agencyName}"`

/** The list that the home country's code is of. */
export const countryList =
  ' listAgencyID="6" listAgencyName="United Nations Economic Commission for Europe"' +
  ' listSchemeURI="urn:oasis:names:specification:ubl:codelist:gc:CountryIdentificationCode-2.1"'

/** The policy that signatures are made under, and the SHA-256 of its text in base64. */
export const signaturePolicy = {
  url: "https://facturaelectronica.dian.gov.co/politicadefirma/v2/politicadefirmav2.pdf",
  digest: "dMoMvtcG5aIzgYo0tIsSQeVJBDnUnfSOfBpxXrmor0Y="
} as const

export const attachedDocument = { customization: "Documentos adjuntos", type: "Contenedor de Factura Electrónica" }
