import type { Buffer } from 'node:buffer'

/** Node's direct conversions, without encoding name lookup and default arguments. */
export interface FastBuffer extends Buffer {
  latin1Slice(start: number, end: number): string
  utf8Slice(start: number, end: number): string
  base64Slice(start: number, end: number): string
  latin1Write(text: string, offset: number, length: number): number
  utf8Write(text: string, offset: number, length: number): number
  base64Write(text: string, offset: number, length: number): number
}
