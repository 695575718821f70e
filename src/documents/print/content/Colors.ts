/** The colour of a document, and the tint of its headline. */
export interface Colors {
  readonly accent: string
  readonly tint: string
}

const standard = "#1f4e79"

type Rgb = readonly [red: number, green: number, blue: number]

const rgbOf = (color: string): Rgb =>
  [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16)) as unknown as Rgb

const hexOf = (rgb: Rgb): string => `#${rgb.map((part) => Math.round(part).toString(16).padStart(2, "0")).join("")}`

/** The luminance of a colour by WCAG 2: 0 for black, 1 for white. */
const luminance = (rgb: Rgb): number => {
  const [red, green, blue] = rgb.map((part) => {
    const share = part / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  }) as unknown as Rgb
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

/** The maximum luminance of a colour that is easy to read on white: a contrast of 4.5 to 1. */
const readable = 1.05 / 4.5 - 0.05

/** The colours of a document: the issuer's colour, darkened until its texts are readable on white. */
export const colorsOf = (color = standard): Colors => {
  const given = rgbOf(/^#[\da-f]{6}$/i.test(color) ? color : standard)
  let accent = given
  while (luminance(accent) > readable) accent = accent.map((part) => part * 0.95) as unknown as Rgb
  return { accent: hexOf(accent), tint: hexOf(given.map((part) => 255 - (255 - part) * 0.06) as unknown as Rgb) }
}
