export { openDelegation } from './open-delegation.ts'
export type { Delegation, DelegationOptions, DelegationParts } from './open-delegation.ts'
export type { PublishedAuthentication } from './published-authentication.ts'
