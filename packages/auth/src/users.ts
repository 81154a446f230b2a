/** Names that the API server itself gives meaning to. */
export const anonymousUser = 'system:anonymous'
export const apiServerUser = 'system:apiserver'
export const authenticatedGroup = 'system:authenticated'
export const unauthenticatedGroup = 'system:unauthenticated'
/** Members may do everything, whatever the authorizers after it say, and are never turned away for load. */
export const mastersGroup = 'system:masters'
/** The `extra` key that says which credential was used. */
export const credentialIdKey = 'authentication.kubernetes.io/credential-id'
