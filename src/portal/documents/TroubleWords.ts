import type { Failure } from "../../../schemas/FiscalDocument.ts"
import type { AuthorityTrouble } from "../../../schemas/AuthorityTrouble.ts"
import { authorityTroubles } from "../../invoices/rules/AuthorityTroubles.ts"

/* Authority troubles in Spanish. The reference and the API describe them in English. */

interface TroubleWords {
  readonly what: string
  readonly remedy: string
  /** The authority's own message. */
  readonly said?: string
}

/** The authority's own message: the text in brackets in an API message. */
export const saidIn = (message: string): string | undefined => /\((.+?)\.?\)/s.exec(message)?.[1]

const spanish: Readonly<Record<AuthorityTrouble, TroubleWords>> = {
  connection_refused: {
    what: "El servicio de la DIAN no recibe conexiones.",
    remedy: "Si la DIAN no está disponible, no hay que hacer nada aquí. Busque el aviso de la DIAN."
  },
  no_answer: {
    what: "La DIAN recibió la conexión y no respondió, o cortó antes de terminar.",
    remedy: "Si la DIAN está lenta o no está disponible, no hay que hacer nada aquí. Busque el aviso de la DIAN."
  },
  server_error: {
    what: "La DIAN respondió con un error de su propio servidor.",
    remedy: "Si la DIAN no está disponible, no hay que hacer nada aquí. Busque el aviso de la DIAN."
  },
  in_process: {
    what: "La DIAN recibió el documento y todavía lo valida («En proceso»).",
    remedy: "No hay que hacer nada. La DIAN valida estos documentos más tarde."
  },
  name_not_found: {
    what: "Este servicio no encuentra el nombre del servidor de la DIAN.",
    remedy: "El operador del servicio debe revisar AUTHORITY_URL y el DNS."
  },
  no_route: {
    what: "Este servicio no tiene una ruta de red al servidor de la DIAN.",
    remedy: "El operador del servicio debe revisar la red de la máquina."
  },
  tls_failed: {
    what: "La conexión segura (TLS) con el servidor de la DIAN falló.",
    remedy: "El operador del servicio debe revisar el reloj, los certificados de confianza y AUTHORITY_URL."
  },
  not_the_service: {
    what: "En la dirección de la DIAN responde otro servicio, o un servicio que no admite esta máquina.",
    remedy: "El operador del servicio debe revisar AUTHORITY_URL."
  },
  signer_unavailable: {
    what: "El servicio de firma que guarda la clave del certificado de la cuenta no devolvió una firma válida.",
    remedy:
      "El operador debe revisar el servicio de firma. Después, Folio firma y transmite los documentos automáticamente."
  },
  certificate_missing: {
    what: "La cuenta no tiene un certificado vigente para llamar a la DIAN.",
    remedy: "Suba un certificado vigente en Ajustes."
  },
  certificate_refused: {
    what: "La DIAN no confía en el certificado de la cuenta.",
    remedy:
      "Suba en Ajustes un certificado vigente de una entidad de certificación acreditada en Colombia, a nombre del NIT."
  },
  security_refused: {
    what: "La DIAN no pudo verificar la firma o la hora de la llamada.",
    remedy: "Revise que el certificado esté vigente y sin revocar, y que el reloj del servicio tenga la hora correcta."
  },
  clock_off: {
    what: "El reloj de este servicio difiere del reloj de la DIAN más de lo permitido.",
    remedy: "El operador del servicio debe ajustar el reloj (NTP)."
  },
  sender_refused: {
    what: "La DIAN no permite a este emisor enviar documentos por el NIT de la cuenta, o no puede leer el paquete.",
    remedy:
      "En el portal de la DIAN, asocie el software con el NIT y con sus rangos de numeración. Revise que el certificado sea de este NIT."
  },
  another_document: {
    what: "La DIAN respondió con el resultado de otro documento.",
    remedy: "Si continúa, avise a la DIAN."
  },
  no_verdict: {
    what: "La DIAN respondió sin un resultado sobre el documento.",
    remedy: "Si continúa, avise a la DIAN."
  }
}

/** Document failures by code. The page adds the trouble to `authority_refused`. */
const failuresInSpanish: Readonly<Record<string, string>> = {
  authority_refused: "La DIAN no aceptó la llamada, y no validó el documento.",
  no_certificate: "La cuenta no tiene un certificado vigente para firmar y llamar a la DIAN.",
  software_not_registered: "La cuenta no tiene el software registrado ante la DIAN. Defínalo en Ajustes.",
  internal_error: "El servicio falló al procesar el documento.",
  range_expired: "El rango de numeración venció. Registre otro rango o amplíe su vigencia.",
  range_exhausted: "El rango de numeración no tiene más números. Registre otro rango.",
  no_numbering_range: "Ningún rango de numeración está activo y vigente hoy. Registre o active un rango."
}

/**
 * The Spanish reason of a document's failure. Undefined for a failure of a team's own country, which has its own text.
 */
export const failureInSpanish = ({ code, message }: Failure): TroubleWords | undefined => {
  const what = failuresInSpanish[code]
  if (what === undefined) return undefined
  const said = code === "authority_refused" ? saidIn(message) : undefined
  const trouble = authorityTroubleNames.find((name) => message.includes(authorityTroubles[name].what))
  return {
    what,
    remedy: trouble === undefined ? "" : `${spanish[trouble].what} ${spanish[trouble].remedy}`,
    ...(said === undefined ? {} : { said })
  }
}

const authorityTroubleNames = Object.keys(spanish) as ReadonlyArray<AuthorityTrouble>

/** The cause of a trouble and its remedy. */
export const troubleWords = (language: "en" | "es", trouble: AuthorityTrouble): TroubleWords =>
  language === "es" ? spanish[trouble] : authorityTroubles[trouble]

/** The next step of Folio for a waiting document, in Spanish. */
export const meanwhileInSpanish = (trouble: AuthorityTrouble): string => {
  const { is_refusal, may_have_left } = authorityTroubles[trouble]
  return may_have_left || is_refusal
    ? "Folio consulta a la DIAN y transmite el documento de nuevo solo si la DIAN no lo tiene."
    : "El documento espera. Folio lo transmite automáticamente."
}

/** Test set failures by code. */
const testSetFailuresInSpanish: Readonly<Record<string, string>> = {
  documents_rejected:
    "La DIAN rechaza todos los documentos de un tipo. Corrija lo que indican las reglas de los últimos documentos: el emisor, el software y su PIN, o el rango de pruebas.",
  documents_unanswered:
    "La DIAN no respondió sobre varios documentos seguidos. Revise en el portal de la DIAN que el set de pruebas esté abierto y que su identificador sea correcto.",
  numbers_used:
    "La DIAN ya tiene otros documentos con estos números: otro sistema usa el mismo rango de pruebas. Detenga ese sistema.",
  range_exhausted: "El rango de pruebas no tiene más números. Use otro rango de pruebas del portal de la DIAN.",
  authority_refused:
    "El servicio de habilitación de la DIAN no recibe los documentos. Compare el identificador del set de pruebas, el software y su PIN con el portal de la DIAN. Revise que el set de pruebas esté abierto para este software.",
  account_not_ready: "A la cuenta le falta algo que tenía cuando inició el set de pruebas. Revise los pasos en Ajustes."
}

/** The Spanish reason of a test set's failure. Undefined for an unknown failure. */
export const testSetFailureInSpanish = ({ code, message }: Failure): string | undefined => {
  const what = testSetFailuresInSpanish[code]
  if (what === undefined) return undefined
  const said = code === "authority_refused" ? saidIn(message) : undefined
  return `${what}${said === undefined ? "" : ` «${said}».`} Los documentos aceptados siguen contando.`
}

const isTrouble = (code: string): code is AuthorityTrouble => Object.hasOwn(spanish, code)

const ownTroublesInSpanish: Readonly<Record<string, string>> = {
  no_test_service:
    "El servicio ya no tiene la dirección del servicio de habilitación de la DIAN. El operador debe definir AUTHORITY_TEST_URL.",
  internal: "El servicio tuvo una falla interna. El log del servicio la describe."
}

/** The Spanish reason of a waiting test set. Undefined for an unknown code. */
export const testSetTroubleInSpanish = (code: string): string | undefined => {
  const words = isTrouble(code)
    ? `${spanish[code].what} ${spanish[code].remedy.replaceAll("AUTHORITY_URL", "AUTHORITY_TEST_URL")}`
    : ownTroublesInSpanish[code]
  return words === undefined
    ? undefined
    : `${words} Folio no pierde nada ni transmite nada dos veces. Después continúa el set de pruebas automáticamente.`
}
