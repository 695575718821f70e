import type { AuthorityMode, AuthorityScript } from "../../../schemas/TestHelper.ts"
import type { Translate } from "../frame/Visit.ts"

/** How the simulated authority behaves, in a word and in a sentence. */
export const modeWords = (t: Translate, mode: AuthorityMode): readonly [word: string, meaning: string] => {
  const words: Record<AuthorityMode, readonly [string, string]> = {
    up: [t("Up", "Disponible"), t("It answers at once.", "Responde de inmediato.")],
    down: [
      t("Down", "Caída"),
      t(
        "It doesn’t respond: Folio issues documents in contingency.",
        "No responde: los documentos se emiten en contingencia."
      )
    ],
    slow: [t("Slow", "Lenta"), t("It answers after 10 seconds.", "Responde después de 10 segundos.")],
    flaky: [
      t("Flaky", "Inestable"),
      t("Its first two answers about each document fail.", "Fallan sus dos primeras respuestas sobre cada documento.")
    ]
  }
  return words[mode]
}

/** The outcomes that a script may name, and what each does to the document. */
export const outcomeWords = (t: Translate) =>
  ({
    accept: t("Accept it", "Aceptarlo"),
    reject: t("Reject it by rules", "Rechazarlo por reglas"),
    lose: t("Judge it, but lose the first response", "Validarlo, pero perder la primera respuesta"),
    contingency: t("Be out of reach until it is in contingency", "No responder hasta que pase a contingencia"),
    fail: t("Refuse it, so that it fails", "Rehusarlo, para que falle")
  }) as const

/** What a script does to its document, in words. */
export const scriptWords = (t: Translate, script: AuthorityScript): string => {
  const words = outcomeWords(t)
  const outcome = (["accept", "reject", "lose", "contingency", "fail"] as const).find(
    (one) => script[one] !== undefined
  )
  const parts = [
    ...(outcome === undefined
      ? []
      : [words[outcome] + (script.reject === undefined ? "" : `: ${script.reject.join(", ")}`)]),
    ...(script.delay === undefined
      ? []
      : [t(`respond after ${script.delay} s`, `responder después de ${script.delay} s`)]),
    ...(script.events === undefined
      ? []
      : [t(`then the buyer: ${script.events.join(", ")}`, `luego el comprador: ${script.events.join(", ")}`)])
  ]
  const text = parts.join(", ")
  return text.charAt(0).toUpperCase() + text.slice(1)
}
