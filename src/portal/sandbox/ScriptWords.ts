import type { AuthorityMode, AuthorityScript } from "../../../schemas/TestHelper.ts"
import type { Translate } from "../frame/Visit.ts"

/** The modes of the simulated authority: name and description. */
export const modeWords = (t: Translate, mode: AuthorityMode): readonly [word: string, meaning: string] => {
  const words: Record<AuthorityMode, readonly [string, string]> = {
    up: [t("Up", "Disponible"), t("The authority responds immediately.", "La DIAN responde de inmediato.")],
    down: [
      t("Down", "No disponible"),
      t(
        "The authority doesn’t respond. Folio issues documents in contingency.",
        "La DIAN no responde. Folio emite los documentos en contingencia."
      )
    ],
    slow: [
      t("Slow", "Lenta"),
      t("The authority responds after 10 seconds.", "La DIAN responde después de 10 segundos.")
    ],
    flaky: [
      t("Flaky", "Inestable"),
      t("The first two responses about each document fail.", "Fallan las dos primeras respuestas sobre cada documento.")
    ]
  }
  return words[mode]
}

/** The outcomes of a script, in words. */
export const outcomeWords = (t: Translate) =>
  ({
    accept: t("Accept", "Aceptar"),
    reject: t("Reject by rules", "Rechazar por reglas"),
    lose: t("Lose first response", "Perder primera respuesta"),
    contingency: t("Force contingency", "Forzar contingencia"),
    fail: t("Fail", "Hacer fallar")
  }) as const

/** A script in words. */
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
      : [t(`respond after ${script.delay}\u00a0s`, `responder después de ${script.delay}\u00a0s`)]),
    ...(script.events === undefined
      ? []
      : [t(`then the buyer: ${script.events.join(", ")}`, `luego el adquiriente: ${script.events.join(", ")}`)])
  ]
  const text = parts.join(", ")
  return text.charAt(0).toUpperCase() + text.slice(1)
}
