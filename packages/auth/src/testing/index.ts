export { startTokenSigner } from './token-signer.ts'
export type { TokenSigner } from './token-signer.ts'
