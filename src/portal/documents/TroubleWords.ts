import type { Failure } from "../../../schemas/FiscalDocument.ts"
import type { AuthorityTrouble } from "../../../schemas/AuthorityTrouble.ts"
import { authorityTroubles } from "../../domain/authority/AuthorityTroubles.ts"

/* A trouble with the authority for a reader of Spanish. The reference and the API tell it in English. */

interface TroubleWords {
  readonly what: string
  readonly remedy: string
}

const spanish: Readonly<Record<AuthorityTrouble, TroubleWords>> = {
  connection_refused: {
    what: "El servicio de la DIAN no recibe conexiones.",
    remedy: "Si la DIAN está caída, no hay que hacer nada aquí: busque su aviso."
  },
  no_answer: {
    what: "La DIAN recibió la conexión y no respondió, o cortó antes de terminar.",
    remedy: "Si la DIAN está lenta o caída, no hay que hacer nada aquí: busque su aviso."
  },
  server_error: {
    what: "La DIAN respondió con un error de su propio servidor.",
    remedy: "Si la DIAN está caída, no hay que hacer nada aquí: busque su aviso."
  },
  in_process: {
    what: "La DIAN recibió el documento y todavía lo valida («En proceso»).",
    remedy: "No hay que hacer nada: la DIAN valida esos documentos más tarde."
  },
  name_not_found: {
    what: "Este servicio no encuentra el nombre del servidor de la DIAN.",
    remedy: "Quien opera el servicio debe revisar AUTHORITY_URL y el DNS."
  },
  no_route: {
    what: "Este servicio no llega por la red al servidor de la DIAN.",
    remedy: "Quien opera el servicio debe revisar la red de la máquina."
  },
  tls_failed: {
    what: "No se logró una conexión segura (TLS) con el servidor de la DIAN.",
    remedy: "Quien opera el servicio debe revisar el reloj, los certificados de confianza y AUTHORITY_URL."
  },
  not_the_service: {
    what: "Lo que responde en la dirección de la DIAN no es su servicio, o no deja entrar a esta máquina.",
    remedy: "Quien opera el servicio debe revisar AUTHORITY_URL."
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
    remedy: "Revise que el certificado esté vigente y sin revocar, y que el reloj del servicio esté en hora."
  },
  clock_off: {
    what: "El reloj de este servicio se aparta del de la DIAN más de lo permitido.",
    remedy: "Quien opera el servicio debe poner el reloj en hora (NTP)."
  },
  sender_refused: {
    what: "La DIAN no permite a este emisor enviar documentos por el NIT de la cuenta, o no puede leer el paquete.",
    remedy:
      "En el portal de la DIAN, asocie el software al NIT y a sus numeraciones; revise que el certificado sea de ese NIT."
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

/** The failures of documents by their code. `authority_refused` also says which trouble there was. */
const failuresInSpanish: Readonly<Record<string, string>> = {
  authority_refused: "La DIAN no aceptó la llamada, y no validó el documento.",
  no_certificate: "La cuenta no tiene un certificado vigente para firmar y llamar a la DIAN.",
  software_not_registered: "La cuenta no tiene su software de la DIAN. Regístrelo en Ajustes.",
  internal_error: "El servicio falló al procesar el documento.",
  range_expired: "El rango de numeración venció. Registre otro o amplíe su vigencia.",
  range_exhausted: "El rango de numeración no tiene más números. Registre otro.",
  no_numbering_range: "Ningún rango de numeración está activo hoy. Registre o active uno."
}

/** Why a document failed, for a reader of Spanish; undefined for a failure of a team's own country, which has its own words. */
export const failureInSpanish = ({ code, message }: Failure): TroubleWords | undefined => {
  const what = failuresInSpanish[code]
  if (what === undefined) return undefined
  const trouble = authorityTroubleNames.find((name) => message.includes(authorityTroubles[name].what))
  return {
    what,
    remedy: trouble === undefined ? "" : `${spanish[trouble].what} ${spanish[trouble].remedy}`
  }
}

const authorityTroubleNames = Object.keys(spanish) as ReadonlyArray<AuthorityTrouble>

/** What is wrong and what to do about it. */
export const troubleWords = (language: "en" | "es", trouble: AuthorityTrouble): TroubleWords =>
  language === "es" ? spanish[trouble] : authorityTroubles[trouble]

/** What happens to a document meanwhile, for a reader of Spanish. */
export const meanwhileInSpanish = (trouble: AuthorityTrouble): string => {
  const { is_refusal, may_have_left } = authorityTroubles[trouble]
  return may_have_left || is_refusal
    ? "El documento sigue su curso: se consulta a la DIAN y se envía de nuevo solo si ella no lo tiene."
    : "El documento espera y se envía solo."
}
