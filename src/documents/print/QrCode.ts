import { create } from "qrcode"

/** The width of the empty margin around a QR code, in modules; readers do not find a code without the margin. */
const quietZone = 4

interface Run {
  readonly x: number
  readonly y: number
  readonly length: number
}

/** A text as a QR code (error correction M): its width in modules, and its dark modules as runs of each row. */
export const qrCode = (text: string): { readonly width: number; readonly runs: ReadonlyArray<Run> } => {
  const { data, size } = create(text, { errorCorrectionLevel: "M" }).modules
  const runs: Array<Run> = []
  for (let y = 0; y < size; y++) {
    let x = 0
    while (x < size) {
      const begin = x
      while (x < size && data[y * size + x] === 1) x += 1
      if (x > begin) runs.push({ x: begin + quietZone, y: y + quietZone, length: x - begin })
      x += 1
    }
  }
  return { width: size + 2 * quietZone, runs }
}
