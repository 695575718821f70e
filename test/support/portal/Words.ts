import type { Translate } from "../../../src/portal/frame/Visit.ts"

/** The translation functions of the portal, for English and Spanish. */
export const en: Translate = (english) => english
export const es: Translate = (_english, spanish) => spanish
