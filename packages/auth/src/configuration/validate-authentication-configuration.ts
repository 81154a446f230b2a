import { fieldError, newFieldPath, isDNS1123Subdomain, parsePemBlocks, formatRegexMessage, trimRight } from '@keelson/apimachinery'
import type { FieldErrorList, FieldPath } from '@keelson/apimachinery'
import { X509Certificate } from 'node:crypto'
import { compileClaimExpression } from '../oidc/compile-claims.ts'
import type { ClaimExpression } from '../oidc/compile-claims.ts'
import type {
  AuthenticationConfiguration,
  ClaimMappings,
  IssuerConfiguration,
  JwtConfiguration,
  PrefixedClaimOrExpression,
} from './authentication-configuration.ts'

/** An issuer whose expressions are compiled. */
export interface CompiledJwt {
  readonly configuration: JwtConfiguration
  readonly username?: ClaimExpression
  readonly groups?: ClaimExpression
  readonly uid?: ClaimExpression
  readonly extra: readonly { readonly key: string; readonly expression: ClaimExpression }[]
  readonly claimRules: readonly ValidationRule[]
  readonly userRules: readonly ValidationRule[]
}

export interface ValidationRule {
  readonly expression: ClaimExpression
  readonly message: string
}

export interface CompiledAuthentication {
  readonly jwt: readonly CompiledJwt[]
  readonly errors: FieldErrorList
}

const maxIssuers = 64

/**
 * Validates an AuthenticationConfiguration and compiles its expressions. `disallowedIssuers` are the issuers of the server's own service
 * account tokens.
 */
export function compileAuthentication(
  { jwt = [], anonymous }: AuthenticationConfiguration,
  disallowedIssuers: readonly string[],
): CompiledAuthentication {
  const root = newFieldPath('jwt')
  if (jwt.length > maxIssuers) return { jwt: [], errors: [fieldError.tooMany(root, jwt.length, maxIssuers)] }
  const errors: FieldErrorList = []
  const [urls, discoveryUrls] = [new Set<string>(), new Set<string>()]
  const compiled = jwt.map((configuration, i) => {
    const at = root.index(i)
    const result = compileJwt(configuration, { at, disallowedIssuers, errors })
    const { url = '', discoveryURL = '' } = configuration.issuer ?? {}
    if (urls.has(url)) errors.push(fieldError.duplicate(at.child('issuer').child('url'), url))
    urls.add(url)
    if (discoveryURL !== '') {
      if (discoveryUrls.has(discoveryURL)) errors.push(fieldError.duplicate(at.child('issuer').child('discoveryURL'), discoveryURL))
      discoveryUrls.add(discoveryURL)
    }
    return result
  })
  if (anonymous !== undefined && anonymous.enabled !== true && (anonymous.conditions ?? []).length > 0) {
    const conditions = (anonymous.conditions ?? []).map(({ path = '' }) => ({ Path: path }))
    errors.push(
      fieldError.invalid(newFieldPath('anonymous', 'conditions'), conditions, 'enabled should be set to true when conditions are defined'),
    )
  }
  return { jwt: compiled, errors }
}

interface Place {
  readonly at: FieldPath
  readonly errors: FieldErrorList
}

function compileJwt(
  configuration: JwtConfiguration,
  { at, disallowedIssuers, errors }: Place & { readonly disallowedIssuers: readonly string[] },
): CompiledJwt {
  errors.push(...validateIssuer(configuration.issuer ?? {}, at.child('issuer'), disallowedIssuers))
  const claimRules = compileClaimRules(configuration, { at: at.child('claimValidationRules'), errors })
  const mappings = compileMappings(configuration.claimMappings ?? {}, { at: at.child('claimMappings'), errors })
  const userRules = compileUserRules(configuration, { at: at.child('userValidationRules'), errors })
  const verifying = [
    mappings.username,
    ...mappings.extra.map(({ expression }) => expression),
    ...claimRules.map(({ expression }) => expression),
  ]
  if (mappings.username?.usesClaim('email') === true && !verifying.some((expression) => expression?.usesClaim('email_verified') === true)) {
    errors.push(
      fieldError.invalid(
        at.child('claimMappings').child('username', 'expression'),
        mappings.username.text,
        'claims.email_verified must be used in claimMappings.username.expression or claimMappings.extra[*].valueExpression or claimValidationRules[*].expression when claims.email is used in claimMappings.username.expression',
      ),
    )
  }
  return { configuration, ...mappings, claimRules, userRules }
}

function validateIssuer(issuer: IssuerConfiguration, at: FieldPath, disallowed: readonly string[]): FieldErrorList {
  const {
    url = '',
    discoveryURL = '',
    audiences = [],
    audienceMatchPolicy = '',
    certificateAuthority = '',
    egressSelectorType = '',
  } = issuer
  const errors: FieldErrorList = url === '' ? [fieldError.required(at.child('url'), '')] : validateUrl(url, at.child('url'), disallowed)
  if (discoveryURL !== '') {
    const discovery = at.child('discoveryURL')
    if (url !== '' && trimRight(url, '/') === trimRight(discoveryURL, '/')) {
      errors.push(fieldError.invalid(discovery, discoveryURL, 'discoveryURL must be different from URL'))
    }
    errors.push(...validateUrl(discoveryURL, discovery, []))
  }
  errors.push(...validateAudiences(audiences, audienceMatchPolicy, at))
  if (certificateAuthority !== '') errors.push(...validateAuthorities(certificateAuthority, at.child('certificateAuthority')))
  if (!['', 'controlplane', 'cluster'].includes(egressSelectorType)) {
    const detail = 'egress selector must be either controlplane or cluster'
    errors.push(fieldError.invalid(at.child('egressSelectorType'), egressSelectorType, detail))
  }
  return errors
}

function validateUrl(text: string, at: FieldPath, disallowed: readonly string[]): FieldErrorList {
  const errors: FieldErrorList = []
  if (disallowed.includes(text)) {
    const detail = `URL must not overlap with disallowed issuers: [${disallowed.toSorted().join(' ')}]`
    errors.push(fieldError.invalid(at, text, detail))
  }
  const url = URL.parse(text)
  if (url === null && /^[a-z][a-z0-9+.-]*:/i.test(text))
    return [...errors, fieldError.invalid(at, text, `parse ${JSON.stringify(text)}: invalid URL`)]
  if (url?.protocol !== 'https:') errors.push(fieldError.invalid(at, text, 'URL scheme must be https'))
  if (url !== null && (url.username !== '' || url.password !== '')) {
    errors.push(fieldError.invalid(at, text, 'URL must not contain a username or password'))
  }
  if (url !== null && url.search.length > 1) errors.push(fieldError.invalid(at, text, 'URL must not contain a query'))
  if (url !== null && url.hash.length > 1) errors.push(fieldError.invalid(at, text, 'URL must not contain a fragment'))
  return errors
}

function validateAudiences(audiences: readonly string[], policy: string, issuer: FieldPath): FieldErrorList {
  const at = issuer.child('audiences')
  if (audiences.length === 0) return [fieldError.required(at, `at least one ${at.toString()} is required`)]
  const visited = new Set<string>()
  const errors = audiences.flatMap((audience, i): FieldErrorList => {
    const isRepeated = visited.has(audience)
    visited.add(audience)
    return [
      ...(audience === '' ? [fieldError.required(at.index(i), '')] : []),
      ...(isRepeated ? [fieldError.duplicate(at.index(i), audience)] : []),
    ]
  })
  const policyAt = issuer.child('audienceMatchPolicy')
  if (audiences.length > 1 && policy !== 'MatchAny') {
    errors.push(fieldError.invalid(policyAt, policy, 'audienceMatchPolicy must be MatchAny for multiple audiences'))
  } else if (audiences.length === 1 && policy !== '' && policy !== 'MatchAny') {
    errors.push(fieldError.invalid(policyAt, policy, 'audienceMatchPolicy must be empty or MatchAny for single audience'))
  }
  return errors
}

function validateAuthorities(pem: string, at: FieldPath): FieldErrorList {
  try {
    const certificates = parsePemBlocks(pem).filter(({ label }) => label === 'CERTIFICATE')
    for (const { text } of certificates) void new X509Certificate(text)
    if (certificates.length > 0) return []
  } catch {
    // An invalid certificate has the same message as a missing one.
  }
  return [fieldError.invalid(at, '<omitted>', 'data does not contain any valid RSA or ECDSA certificates')]
}

function compileClaimRules({ claimValidationRules = [] }: JwtConfiguration, { at, errors }: Place): ValidationRule[] {
  const [claims, expressions] = [new Set<string>(), new Set<string>()]
  const rules: ValidationRule[] = []
  for (const [i, { claim = '', requiredValue = '', expression = '', message = '' }] of claimValidationRules.entries()) {
    const place = at.index(i)
    if (claim !== '' && expression !== '') errors.push(fieldError.invalid(place, claim, "claim and expression can't both be set"))
    else if (claim === '' && expression === '') errors.push(fieldError.required(place, 'claim or expression is required'))
    else if (claim !== '') {
      if (message !== '') errors.push(fieldError.invalid(place.child('message'), message, 'may not be specified when claim is set'))
      if (claims.has(claim)) errors.push(fieldError.duplicate(place.child('claim'), claim))
      claims.add(claim)
    } else {
      if (requiredValue !== '') {
        errors.push(fieldError.invalid(place.child('requiredValue'), requiredValue, 'may not be specified when expression is set'))
      }
      const compiled = compileOnce(expression, 'claimValidation', { at: place.child('expression'), errors, seen: expressions })
      if (compiled !== undefined) rules.push({ expression: compiled, message })
    }
  }
  return rules
}

function compileUserRules({ userValidationRules = [] }: JwtConfiguration, { at, errors }: Place): ValidationRule[] {
  const visited = new Set<string>()
  return userValidationRules.flatMap(({ expression = '', message = '' }, i) => {
    const place = at.index(i).child('expression')
    if (expression === '') {
      errors.push(fieldError.required(place, ''))
      return []
    }
    const compiled = compileOnce(expression, 'userValidation', { at: place, errors, seen: visited })
    return compiled === undefined ? [] : [{ expression: compiled, message }]
  })
}

type CompiledMappings = Pick<CompiledJwt, 'username' | 'groups' | 'uid' | 'extra'>

function compileMappings({ username = {}, groups = {}, uid = {}, extra = [] }: ClaimMappings, { at, errors }: Place): CompiledMappings {
  const name = compilePrefixed(username, { at: at.child('username'), errors, isRequired: true })
  const members = compilePrefixed(groups, { at: at.child('groups'), errors, isRequired: false })
  const { claim = '', expression = '' } = uid
  if (claim !== '' && expression !== '') errors.push(fieldError.invalid(at.child('uid'), '', "claim and expression can't both be set"))
  const id =
    claim === '' && expression !== '' ? compile(expression, 'claimMapping', { at: at.child('uid').child('expression'), errors }) : undefined
  return {
    ...(name && { username: name }),
    ...(members && { groups: members }),
    ...(id && { uid: id }),
    extra: compileExtra(extra, { at: at.child('extra'), errors }),
  }
}

function compilePrefixed(
  { claim = '', prefix, expression = '' }: PrefixedClaimOrExpression,
  { at, errors, isRequired }: Place & { readonly isRequired: boolean },
): ClaimExpression | undefined {
  if (expression !== '' && claim !== '') errors.push(fieldError.invalid(at, '', "claim and expression can't both be set"))
  else if (expression !== '') {
    if (prefix !== undefined) errors.push(fieldError.invalid(at.child('prefix'), prefix, 'may not be specified when expression is set'))
    return compile(expression, 'claimMapping', { at: at.child('expression'), errors })
  } else if (claim !== '') {
    const detail = 'prefix is required when claim is set. It can be set to an empty string to disable prefixing'
    if (prefix === undefined) errors.push(fieldError.required(at.child('prefix'), detail))
  } else if (isRequired) errors.push(fieldError.required(at, 'claim or expression is required'))
  return undefined
}

function compileExtra(mappings: NonNullable<ClaimMappings['extra']>, { at, errors }: Place): CompiledJwt['extra'] {
  const visited = new Set<string>()
  return mappings.flatMap(({ key = '', valueExpression = '' }, i) => {
    const place = at.index(i)
    errors.push(...validateExtraKey(key, place.child('key')))
    if (visited.has(key)) {
      errors.push(fieldError.duplicate(place.child('key'), key))
      return []
    }
    visited.add(key)
    if (valueExpression === '') {
      errors.push(fieldError.required(place.child('valueExpression'), ''))
      return []
    }
    const expression = compile(valueExpression, 'claimMapping', { at: place.child('valueExpression'), errors })
    return expression === undefined ? [] : [{ key, expression }]
  })
}

const httpPath = String.raw`[A-Za-z0-9/\-._~%!$&'()*+,;=:]+`
const httpPathPattern = new RegExp(`^${httpPath}$`)

function validateExtraKey(key: string, at: FieldPath): FieldErrorList {
  if (key === '') return [fieldError.required(at, '')]
  const slash = key.indexOf('/')
  const errors: FieldErrorList = []
  if (slash <= 0 || slash === key.length - 1) {
    errors.push(fieldError.invalid(at, key, 'must be a domain-prefixed path (such as "acme.io/foo")'))
  } else {
    const [host, path] = [key.slice(0, slash), key.slice(slash + 1)]
    errors.push(...isDNS1123Subdomain(host).map((problem) => fieldError.invalid(at, host, problem)))
    if (!httpPathPattern.test(path)) errors.push(fieldError.invalid(at, path, formatRegexMessage('Invalid path', httpPath)))
  }
  if (key !== key.toLowerCase()) errors.push(fieldError.invalid(at, key, 'must be lowercase'))
  const domain = slash < 0 ? '' : key.slice(0, slash)
  if (/(^|\.)(kubernetes|k8s)\.io$/.test(domain)) {
    errors.push(fieldError.invalid(at, key, 'k8s.io, kubernetes.io and their subdomains are reserved for Kubernetes use'))
  }
  return errors
}

type Purpose = Parameters<typeof compileClaimExpression>[1]

function compileOnce(
  text: string,
  purpose: Purpose,
  { at, errors, seen: visited }: Place & { readonly seen: Set<string> },
): ClaimExpression | undefined {
  if (visited.has(text)) {
    errors.push(fieldError.duplicate(at, text))
    return undefined
  }
  visited.add(text)
  return compile(text, purpose, { at, errors })
}

function compile(text: string, purpose: Purpose, { at, errors }: Place): ClaimExpression | undefined {
  const result = compileClaimExpression(text, purpose)
  if (!('problem' in result)) return result
  errors.push(fieldError.invalid(at, text, result.problem))
  return undefined
}
