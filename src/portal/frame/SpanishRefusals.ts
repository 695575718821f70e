import { Refusal } from "./Refusal.ts"

/*
 * The API's messages are in English. For Spanish readers, pages replace them by error code, or by message pattern if
 * one code has many messages. Unknown messages stay in English, with `lang="en"` for screen readers.
 */

/** Spanish messages by pattern. Patterns take precedence over codes. */
const formsInSpanish: ReadonlyArray<readonly [form: RegExp, words: string]> = [
  [/must be one email address/, "Debe ser una dirección de correo, como facturas@example.com."],
  [
    /must be 1 to 20 digits/,
    "Debe tener de 1 a 20 dígitos, sin puntos (letras y guiones en pasaportes y NIT de otro país)."
  ],
  [/a decimal\b/, "Debe ser una cifra, como 1.234,50."],
  [/must be a whole number from (\d+) to (\d+)/, "Debe ser un número entero de $1 a $2."],
  [/must be (?:a day|a date|YYYY)/, "Debe ser una fecha que exista."],
  [/This may be thousands or decimals/, "Pueden ser miles o decimales. Escriba 1000 o 1000.00."],
  [/Write a figure/, "Escriba una cifra como 1190000 o 0.5, con máximo seis decimales."],
  [/Choose one of the taxes/, "Elija uno de los impuestos."],
  [/number of a NIT/, "El número de un NIT tiene de 1 a 15 dígitos, sin puntos, guiones ni dígito de verificación."],
  [/five digits of a municipality/, "Escriba el nombre de un municipio, o su código de cinco dígitos."],
  [/two capital letters of a country/, "Debe ser el código de dos letras mayúsculas de un país, como CO."],
  [/four digits of an economic activity/, "Debe ser un código CIIU de cuatro dígitos."],
  [/must be a colour/, "Debe ser # y seis dígitos hexadecimales, como #1f4e79."],
  [/must be at most 4 capital letters/, "El prefijo tiene máximo cuatro letras mayúsculas y dígitos, o queda vacío."],
  [/must not be less than from_number, (\d+)/, "El último número no puede ser menor que el primero, $1."],
  [/must be the resolution's number/, "Debe ser el número de la resolución: de 1 a 20 dígitos."],
  [/must be the 40 hex digits/, "Debe tener los 40 caracteres que la DIAN muestra con el rango."],
  [/id that the authority gave the software/, "Debe ser el id de 36 caracteres que la DIAN asignó al software."],
  [/must be the PIN of the software/, "Debe ser el PIN del software: de 1 a 64 caracteres, sin espacios."],
  [/must be the id of the test set/, "Debe ser el id del set de pruebas (TestSetId) del portal de la DIAN."],
  [/must be at most (\d+) characters/, "Debe tener máximo $1 caracteres."],
  [/must be digits alone/, "Este número debe tener solo dígitos."],
  [/for (?:the|this) number(?: \d+)? it is "(\d)"/, "El dígito de verificación de este número es $1."],
  [/goes with a NIT/, "Solo un NIT tiene dígito de verificación."],
  [/The portal has no page/, "El portal no tiene esta página."],
  [/neither a PNG nor a JPEG/, "El archivo no es PNG ni JPEG."],
  [
    /run folio listen --forward-to :(\d+), or start Folio with WEBHOOK_ALLOW=(\S+)\.$/,
    "La dirección debe empezar por https://. Para recibir webhooks en su máquina, ejecute folio listen --forward-to :$1, o inicie Folio con WEBHOOK_ALLOW=$2."
  ],
  [/must name at least one rule/, "Escriba al menos una regla."]
]

const codesInSpanish: Readonly<Record<string, string>> = {
  parameter_missing: "Falta este dato.",
  parameter_invalid_empty: "Este dato no puede quedar vacío.",
  parameter_invalid: "Este dato no tiene la forma correcta.",
  parameter_too_long: "Este dato es demasiado largo.",
  parameter_conflict: "Este dato y otro se excluyen. Envíe solo uno de los dos.",
  invalid_check_digit:
    "El dígito de verificación falta o no corresponde al número. Solo un NIT tiene dígito de verificación.",
  unknown_catalog_code: "Este código no está en su catálogo.",
  amount_mismatch: "El valor no corresponde a la cantidad por el precio.",
  tax_mismatch: "El impuesto no corresponde a la base por la tarifa.",
  no_numbering_range: "Ningún rango de numeración está activo y vigente hoy. Registre o active un rango.",
  range_exhausted: "El rango de numeración no tiene más números. Registre otro rango.",
  range_expired: "El rango de numeración venció. Registre otro rango o amplíe su vigencia.",
  due_date_required: "Una venta a crédito necesita su fecha de vencimiento.",
  url_invalid: "La dirección está mal formada, o contiene usuario, contraseña o un fragmento (#).",
  url_not_https: "La dirección debe empezar por https://. Folio no envía webhooks sin cifrar.",
  url_not_allowed: "Folio no envía webhooks a esta dirección o a este puerto. Use una dirección pública.",
  resource_missing: "La cuenta no tiene un objeto con este identificador en este modo.",
  capability_missing: "Esta sesión no tiene este permiso. Solicite un enlace con el permiso.",
  ip_not_allowed: "Esta dirección no está dentro de las direcciones permitidas de la clave que abrió la sesión.",
  form_foreign: "El formulario no viene de una página de su sesión. Abra la página de nuevo y repita el cambio.",
  idempotency_conflict: "Este formulario ya se envió con otros datos. Abra la página de nuevo y repita el cambio.",
  invoice_not_cancelable: "La factura ya tiene un número o un resultado, y no se puede cancelar.",
  invoice_not_retryable: "Solo se puede reintentar un documento fallido.",
  invoice_not_correctable: "Solo se puede corregir con una nota un documento aceptado.",
  invoice_not_rejected: "Solo se puede corregir con su número un documento que la DIAN rechazó.",
  invoice_number_processed: "La DIAN ya tiene un documento con este número.",
  invoice_has_open_notes: "Una nota de esta factura todavía no tiene resultado.",
  credit_exceeds_invoice: "Las notas crédito superan el valor de la factura.",
  resolution_overlap: "Otro rango de numeración ya tiene alguno de estos números.",
  email_limit_reached: "Folio ya envió este documento por correo el máximo de veces.",
  endpoint_not_sending: "El destino está en pausa, o su cola de entregas está llena.",
  account_suspended: "La cuenta está suspendida, y no puede crear clientes ni documentos. Contacte a su plataforma.",
  account_closed: "La cuenta está cerrada, y no puede cambiar nada. Sus documentos se pueden seguir leyendo.",
  account_not_closable:
    "La cuenta tiene documentos, correos, entregas o un set de pruebas en curso. Suspéndala, espere a que terminen y ciérrela después.",
  account_limit_reached:
    "La plataforma tiene el máximo de cuentas. Cierre una cuenta que ya no necesite, o comuníquese con el operador.",
  customer_limit_reached: "La cuenta tiene el máximo de clientes. Elimine los que ya no necesite.",
  endpoint_limit_reached: "La cuenta tiene el máximo de destinos. Elimine un destino que ya no necesite.",
  resolution_limit_reached: "La cuenta tiene el máximo de rangos. Solicite a la DIAN rangos más grandes.",
  enablement_running: "Otro set de pruebas de la cuenta está en curso. Espere a que termine.",
  enablement_limit_reached: "La cuenta llegó al máximo de sets de pruebas. Comuníquese con el operador.",
  api_key_limit_reached: "La cuenta tiene el máximo de claves activas. Revoque una clave que ya no necesite.",
  api_key_inactive: "La clave ya no funciona. Cree una clave nueva.",
  last_api_key: "Esta es la última clave de este modo sin restricciones y sin vencimiento. Cree antes otra igual.",
  query_too_slow: "La búsqueda tarda demasiado. Limítela con otro filtro, como las fechas.",
  rate_limited: "Demasiadas solicitudes. Espere un momento y reintente.",
  service_unavailable: "El servicio no está disponible. Espere un momento y reintente."
}

/** Codes whose English message holds the correct value. Pages append that message in parentheses. */
const isExplained: ReadonlySet<string> = new Set(["parameter_invalid", "unknown_catalog_code", "resolution_overlap"])

// The starts of Spanish messages that forms write before they call the API.
const ofForms = ["Elija un archivo", "El archivo pasa", "Elija el archivo", "Esta clave está"]
const spanishWords = [...formsInSpanish.map(([, words]) => words), ...Object.values(codesInSpanish), ...ofForms]
const spanishStarts: ReadonlySet<string> = new Set(spanishWords.map((words) => words.slice(0, 12)))

/** The language of an error message, for `lang`. */
export const languageOfMessage = (message: string): "en" | "es" =>
  spanishStarts.has(message.slice(0, 12)) ? "es" : "en"

const messageInSpanish = ({ code, message }: Pick<Refusal, "code" | "message">): string => {
  if (languageOfMessage(message) === "es") return message
  for (const [form, words] of formsInSpanish) {
    const found = form.exec(message)
    if (found !== null) return words.replaceAll(/\$(\d)/g, (_, at: string) => found[Number(at)] ?? "")
  }
  const words = codesInSpanish[code]
  if (words === undefined) return message
  return isExplained.has(code) ? `${words} (${message})` : words
}

/** The error in the reader's language. A message without a Spanish text stays in English. */
export const inLanguage = (language: "en" | "es", refusal: Refusal): Refusal =>
  language === "en"
    ? refusal
    : new Refusal({
        ...refusal,
        message: messageInSpanish(refusal),
        errors: refusal.errors.map((error) => ({ ...error, message: messageInSpanish(error) }))
      })
