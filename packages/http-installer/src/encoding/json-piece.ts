import type { SlabWriter } from './slab-writer.ts'
import { spliceObject, measureSpliced, writeSpliced } from './splice.ts'
import type { SplicedBytes } from './splice.ts'

/** Stored bytes with a text before and a text after them. The bytes are copied only once, to the buffer that is sent. */
export interface SplicedPiece {
  readonly head: Uint8Array
  readonly object: SplicedBytes
  readonly tail: Uint8Array | undefined
}

/** Bytes of a JSON value that becomes part of a larger JSON document. */
export type JsonPiece = Buffer | SplicedPiece

export function encodePiece(piece: JsonPiece): Buffer {
  return piece instanceof Uint8Array ? piece : spliceObject(piece.head, piece.object, piece.tail)
}

export function surroundPiece(before: string, piece: JsonPiece, after: string): JsonPiece {
  if (piece instanceof Uint8Array) return Buffer.concat([Buffer.from(before), piece, Buffer.from(after)])
  const { head, object, tail } = piece
  const suffix = Buffer.from(after)
  return {
    head: Buffer.concat([Buffer.from(before), head]),
    object,
    tail: tail === undefined ? suffix : Buffer.concat([tail, suffix]),
  }
}

/** Writes the bytes of a piece. Returns undefined if all bytes are written, or a promise that waits for the socket. */
export function writePiece(writer: SlabWriter, piece: JsonPiece): Promise<void> | undefined {
  if (piece instanceof Uint8Array) return writer.write(piece)
  const at = writer.reserve(measurePiece(piece))
  if (at === undefined) return writeInNext(writer, piece)
  writeAt(writer, at, piece)
  return undefined
}

async function writeInNext(writer: SlabWriter, piece: SplicedPiece): Promise<void> {
  if (await writer.makeRoom(measurePiece(piece))) writeAt(writer, 0, piece)
  else await writer.write(encodePiece(piece))
}

function writeAt(writer: SlabWriter, at: number, { head, object, tail }: SplicedPiece): void {
  const end = writeSpliced(writer.slab, at, head, object)
  if (tail !== undefined) writer.slab.set(tail, end)
  writer.advance(end + (tail?.length ?? 0))
}

function measurePiece({ head, object, tail }: SplicedPiece): number {
  return measureSpliced(head, object) + (tail?.length ?? 0)
}
