import { Refusal } from "./Refusal.ts"

/*
 * The API's messages are in English. For Spanish readers, pages replace them by error code, or by message pattern if
 * one code has many messages. Unknown messages stay in English, with `lang="en"` for screen readers.
 */

/** Spanish messages by pattern. Patterns take precedence over codes. */
const formsInSpanish: ReadonlyArray<readonly [form: RegExp, words: string]> = [
  [/must be one e-?mail address/, "Debe ser una dirección de correo, como facturas@example.com."],
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
  [/must be digits alone/, "Este número lleva solo dígitos."],
  [/for (?:the|this) number(?: \d+)? it is "(\d)"/, "El dígito de verificación de este número es $1."],
  [/goes with a NIT/, "Solo un NIT lleva dígito de verificación."],
  [/This page does not exist/, "El portal no tiene esta página."],
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
  parameter_conflict: "Este dato no va junto con otro: deje solo uno.",
  invalid_check_digit: "El dígito de verificación falta o no corresponde al número. Solo un NIT lo lleva.",
  unknown_catalog_code: "Este código no está en su tabla.",
  amount_mismatch: "El valor no es cantidad por precio.",
  tax_mismatch: "El impuesto no es base por tarifa.",
  no_numbering_range: "Ningún rango de numeración está activo hoy. Registre o active uno.",
  range_exhausted: "El rango de numeración no tiene más números. Registre otro.",
  range_expired: "El rango de numeración venció. Registre otro o amplíe su vigencia.",
  due_date_required: "Una venta a crédito necesita su fecha de vencimiento.",
  url_invalid: "La dirección no se puede leer, o lleva usuario, contraseña o un fragmento (#).",
  url_not_https: "La dirección debe empezar por https://; los webhooks no se envían sin cifrar.",
  url_not_allowed: "A esta dirección o a este puerto no se envían webhooks. Use una dirección pública.",
  resource_missing: "No hay nada con este identificador en este modo.",
  capability_missing: "El enlace de esta sesión se creó sin este permiso.",
  form_foreign: "El formulario no viene de una página de su sesión. Abra la página de nuevo y repita el cambio.",
  idempotency_conflict: "Este formulario ya se envió con otros datos. Abra la página de nuevo y repita el cambio.",
  invoice_not_cancelable: "La factura ya tiene su número o terminó, y no se puede cancelar.",
  invoice_not_retryable: "Solo se reintenta un documento que falló.",
  invoice_not_correctable: "Solo se corrige con una nota un documento aceptado.",
  invoice_not_rejected: "Solo se corrige así un documento que la DIAN rechazó.",
  invoice_number_processed: "La DIAN ya tiene un documento con este número.",
  invoice_has_open_notes: "Una nota de esta factura todavía no tiene respuesta.",
  credit_exceeds_invoice: "Las notas crédito suman más que la factura.",
  resolution_overlap: "Otro rango de numeración ya da alguno de estos números.",
  email_limit_reached: "El documento ya se envió por correo tantas veces como se permite.",
  endpoint_not_sending: "El destino está en pausa o tiene demasiadas entregas en espera.",
  api_key_inactive: "La clave ya no sirve. Cree una nueva.",
  last_api_key: "Es la última clave de este modo: cree otra antes de revocarla.",
  query_too_slow: "La búsqueda tarda demasiado. Redúzcala con otro filtro, como las fechas.",
  rate_limited: "Demasiadas solicitudes. Espere un momento y repita.",
  service_unavailable: "El servicio no está disponible. Espere un momento y repita."
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
