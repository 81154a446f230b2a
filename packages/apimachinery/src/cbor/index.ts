export { CborError } from './cbor-error.ts'
export { decodeCbor } from './decode-cbor.ts'
export { encodeArrayHead, encodeCbor, encodeCborDocument, mapHead } from './encode-cbor.ts'
export { selfDescribed } from './cbor-heads.ts'
