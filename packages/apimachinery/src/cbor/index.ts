export { CborError } from './cbor-error.ts'
export { decodeCbor } from './decode-cbor.ts'
export { arrayHead, encodeCbor, encodeCborDocument, mapHead } from './encode-cbor.ts'
export { selfDescribed } from './cbor-heads.ts'
