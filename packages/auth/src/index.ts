export { createAlwaysAllowPathsAuthorizer } from './always-allow-paths.ts'
export { createAnonymousAuthenticator } from './anonymous.ts'
export type { AnonymousOptions } from './anonymous.ts'
export { unknownCredentials } from './authenticator.ts'
export type { AuthenticationResult, Authenticator, Credentials } from './authenticator.ts'
export { createAuthenticatorUnion } from './authenticator-union.ts'
export type { AuthenticatorUnionOptions } from './authenticator-union.ts'
export { noOpinion } from './authorizer.ts'
export type { Authorizer, AuthorizerAttributes, Decision, Rules } from './authorizer.ts'
export { createAuthorizerUnion } from './authorizer-union.ts'
export { bearerToken, createBearerTokenAuthenticator } from './bearer-token.ts'
export { createClientCertificateAuthenticator } from './client-certificate.ts'
export { forbiddenError } from './forbidden.ts'
export { authorizeImpersonation } from './impersonation.ts'
export type { ImpersonationRequest } from './impersonation.ts'
export { impersonatedUser } from './impersonation-headers.ts'
export { createPrivilegedGroupsAuthorizer } from './privileged-groups.ts'
export { createStaticTokens, generateToken } from './token-authenticator.ts'
export type { TokenAuthenticator, TokenForAudiences } from './token-authenticator.ts'
export { openTokenFile, parseTokenFile } from './token-file.ts'
export type { OpenTokenFileOptions, TokenFile } from './token-file.ts'
export { createTokenReviewer } from './token-reviewer.ts'
export type { TokenReviewer, TokenReviewerOptions, TokenVerdict } from './token-reviewer.ts'
export {
  anonymousUser,
  apiServerUser,
  authenticatedGroup,
  authenticatedUser,
  credentialIdKey,
  mastersGroup,
  unauthenticatedGroup,
} from './users.ts'
export type { ServiceAccountClaims } from './service-account-tokens/claims.ts'
export { keySetPath, openIdConfigurationPath, openIdDocuments } from './service-account-tokens/open-id-documents.ts'
export type { OpenIdDocuments } from './service-account-tokens/open-id-documents.ts'
export { createServiceAccountAuthenticator } from './service-account-tokens/service-account-authenticator.ts'
export type {
  BoundObject,
  BoundObjectGetter,
  ServiceAccountAuthenticatorOptions,
} from './service-account-tokens/service-account-authenticator.ts'
export { createTokenIssuer } from './service-account-tokens/token-issuer.ts'
export type { TokenIssuer, TokenIssuerOptions } from './service-account-tokens/token-issuer.ts'
export { readSigningKey, readVerificationKeys } from './service-account-tokens/token-keys.ts'
export type { SigningKey, VerificationKey } from './service-account-tokens/token-keys.ts'
export { createWebSocketTokenAuthenticator } from './websocket-token.ts'
