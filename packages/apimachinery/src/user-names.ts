/** User and group names with a meaning in the API server. */
export const anonymousUser = 'system:anonymous'
export const apiServerUser = 'system:apiserver'
export const authenticatedGroup = 'system:authenticated'
export const unauthenticatedGroup = 'system:unauthenticated'
/** Members may do everything, whatever later authorizers say, and are exempt from load limits. */
export const mastersGroup = 'system:masters'
