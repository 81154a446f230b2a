import type * as codec from '@keelson/apimachinery/cbor'

/** Brought by whoever wants CBOR served, so that nobody else loads it. */
export type CborCodec = typeof codec
