import { type Fault, faults } from "../../clients/typescript/Faults.ts"
import type { AccountFault } from "./SignatureCheck.ts"

/** A fault and its remedy. */
type Words = readonly [what: string, advice: string]

const ofAccount: Readonly<Record<AccountFault, readonly [en: Words, es: Words]>> = {
  secret_of_another: [
    [
      "The secret belongs to another of your endpoints.",
      "Each endpoint has its own secret. Verify with the secret of the endpoint that received the webhook."
    ],
    [
      "El secreto es de otro de sus destinos.",
      "Cada destino tiene su propio secreto. Verifique con el secreto del destino que recibió el webhook."
    ]
  ],
  secret_not_current: [
    [
      "Folio signed the webhook with the endpoint’s current secret. You entered a different secret.",
      "You may have entered the secret before the last rotation, or a secret of another account or mode. Use the current secret in your receiver. If you have lost it, rotate the secret."
    ],
    [
      "Folio firmó el webhook con el secreto actual del destino. El secreto indicado es otro.",
      "Puede ser el secreto anterior a la última rotación, o un secreto de otra cuenta o modo. Use el secreto actual en su receptor. Si perdió el secreto actual, rote el secreto."
    ]
  ],
  secret_old: [
    [
      "The secret signed this webhook, but no endpoint has this secret now. You rotated it or deleted its endpoint.",
      "Folio signs new webhooks with the current secret. Use the current secret in your receiver."
    ],
    [
      "El secreto firmó este webhook, pero ningún destino lo tiene ahora. Usted rotó el secreto o eliminó su destino.",
      "Folio firma los webhooks nuevos con el secreto actual. Use el secreto actual en su receptor."
    ]
  ],
  body_altered: [
    [
      "The body differs from the body that Folio sent: values have changed.",
      "Look for a proxy or middleware that rewrites bodies. Verify the raw bytes before other code reads them."
    ],
    [
      "El cuerpo difiere del cuerpo que Folio envió: cambiaron valores.",
      "Busque un proxy o middleware que reescriba los cuerpos. Verifique los bytes originales antes de que otro código los lea."
    ]
  ]
}

const spanish: Readonly<Record<Fault, Words>> = {
  secret_missing: [
    "No hay secreto.",
    "Indique el secreto del destino, whsec_…, que aparece en la respuesta de su creación."
  ],
  secret_no_prefix: [
    "Al secreto le falta el prefijo whsec_.",
    "Use el secreto con el prefijo whsec_: Svc-Signature se calcula con el texto completo."
  ],
  secret_white_space: [
    "El secreto contiene espacios o saltos de línea, o los tiene al comienzo o al final.",
    "Quítelos: los archivos y las variables suelen terminar con un salto de línea."
  ],
  secret_quoted: ["El secreto está entre comillas.", "Quítelas: algunos lectores de archivos .env las conservan."],
  secret_cut: [
    "El secreto está cortado: después de whsec_ debe haber 44 caracteres.",
    "Copie el secreto completo, con el = del final."
  ],
  body_empty: ["El cuerpo está vacío.", "Lea el cuerpo antes que cualquier otro código, y conserve sus bytes."],
  body_parsed: [
    "El cuerpo es el texto [object …]: JavaScript convirtió en texto un objeto ya interpretado.",
    "Verifique el cuerpo original, antes de que el framework interprete el JSON."
  ],
  body_final_newline: [
    "El cuerpo termina con un salto de línea que Folio no envió.",
    "Conserve los bytes como llegaron: echo y los editores agregan un salto de línea."
  ],
  body_byte_order_mark: [
    "El cuerpo empieza con una marca de orden de bytes (BOM) que Folio no envió.",
    "Conserve los bytes como llegaron, no como un archivo de texto con marca."
  ],
  body_base64: ["El cuerpo está en base64.", "Decodifíquelo primero: algunos gateways entregan los cuerpos en base64."],
  body_reserialized: [
    "El cuerpo se interpretó y se escribió de nuevo como JSON: los espacios, los escapes o el orden de las claves difieren de los enviados.",
    "Verifique los bytes originales de la solicitud, antes de que otro código los interprete."
  ],
  body_encoding: [
    "El cuerpo se decodificó con una codificación distinta de UTF-8.",
    "Conserve los bytes, o decodifíquelos como UTF-8."
  ],
  body_changed: [
    "El cuerpo no es JSON completo: se cortó o se cambió en el camino.",
    "Busque un límite al tamaño de los cuerpos, y un proxy o middleware que los reescriba."
  ],
  header_missing: [
    "No hay encabezado de firma: ni Svc-Signature ni webhook-signature.",
    "Revise si un proxy quita el encabezado, y con qué nombre lo entrega el framework."
  ],
  header_incomplete: [
    "Falta webhook-id o webhook-timestamp: webhook-signature se verifica con ambos.",
    "Indique los tres, o solo Svc-Signature."
  ],
  header_name: [
    "La firma está en un encabezado con otro nombre.",
    "Los nombres son Svc-Signature, y webhook-signature con webhook-id y webhook-timestamp; las mayúsculas no importan."
  ],
  header_scheme: [
    "El encabezado trae una firma del otro esquema.",
    "Svc-Signature trae t=…,v1=… en hexadecimal; webhook-signature trae v1,… en base64."
  ],
  header_quoted: [
    "El valor del encabezado está entre comillas, o trae adentro el nombre del encabezado.",
    "Use solo el valor, como llegó."
  ],
  time_missing: ["El encabezado no trae la hora, t=….", "Use el valor completo del encabezado: t=…,v1=…"],
  time_malformed: ["La hora de la firma no es un número de segundos.", "Use el valor como llegó: segundos de Unix."],
  time_milliseconds: [
    "La hora de la firma está en milisegundos.",
    "Folio firma la hora en segundos: use el valor como llegó."
  ],
  signature_missing: ["El encabezado no trae la firma, v1=… o v1,….", "Use el valor completo del encabezado."],
  signature_length: [
    "La firma está cortada: v1=… tiene 64 dígitos hexadecimales y v1,… tiene 44 caracteres de base64.",
    "Use el valor completo: algunos registros cortan los valores largos."
  ],
  signature_not_hexadecimal: [
    "La firma en v1=… tiene caracteres que no son dígitos hexadecimales.",
    "Use el valor como llegó."
  ],
  signature_not_base64: [
    "La firma en v1,… no es base64, o es base64 para URL.",
    "Use el valor como llegó, con + y / y =."
  ],
  signature_upper_case: ["Los dígitos hexadecimales de la firma están en mayúsculas.", "Use el valor como llegó."],
  webhook_id: ["webhook-id no es el id firmado, que es el id del evento.", "Use el encabezado webhook-id como llegó."],
  too_old: [
    "La firma es correcta, pero demasiado antigua.",
    "Revise el reloj de esta máquina. Un webhook antiguo se verifica con la hora en que llegó. Cada intento se firma de nuevo."
  ],
  in_the_future: ["La firma es correcta, pero está en el futuro.", "Revise el reloj de esta máquina: está atrasado."],
  not_an_event: [
    "La firma es correcta, pero el cuerpo no es un evento de Folio.",
    "Otro programa, y no Folio, firmó el cuerpo con este secreto."
  ],
  mismatch: [
    "Este secreto no firmó este cuerpo.",
    "Revise que el secreto sea el secreto actual de este destino, en este modo. Revise que el cuerpo sea el cuerpo original de la solicitud con este encabezado."
  ]
}

const isOfAccount = (fault: Fault | AccountFault): fault is AccountFault => Object.hasOwn(ofAccount, fault)

/** The text of a fault in the reader's language. */
export const faultWords = (language: "en" | "es", fault: Fault | AccountFault): Words => {
  if (isOfAccount(fault)) return ofAccount[fault][language === "es" ? 1 : 0]
  return language === "es" ? spanish[fault] : faults[fault]
}
