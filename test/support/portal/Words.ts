import type { Translate } from "../../../src/portal/frame/Visit.ts"

/** The words of the portal for a reader of English, and for one of Spanish. */
export const en: Translate = (english) => english
export const es: Translate = (_english, spanish) => spanish
