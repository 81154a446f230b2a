import { aggregateFieldErrors } from '@keelson/apimachinery'
import { describe, expect, test } from 'vitest'
import { parseAuthenticationConfiguration } from './authentication-configuration.ts'
import { compileAuthentication } from './validate-authentication-configuration.ts'

const head = 'apiVersion: apiserver.config.k8s.io/v1\nkind: AuthenticationConfiguration\n'
const findProblem = (text: string): string =>
  aggregateFieldErrors(compileAuthentication(parseAuthenticationConfiguration(head + text), ['https://own']).errors)

test('accepts an empty configuration, which has no issuers', () => {
  expect(findProblem('jwt: []')).toBe('')
  expect(() => parseAuthenticationConfiguration('')).toThrow('empty config data')
  expect(() => parseAuthenticationConfiguration(`${head}jwt: [{issuer: {uri: a}}]`)).toThrow(
    'strict decoding error: unknown field "jwt[0].issuer.uri"',
  )
})

const issuer = '{url: "https://a", audiences: [x]}'
const username = '{claim: sub, prefix: ""}'
describe('validation of an issuer', () => {
  const at = 'jwt[0].issuer.'
  test.each([
    ['{audiences: [x]}', `${at}url: Required value`],
    ['{url: "http://a", audiences: [x]}', `${at}url: Invalid value: "http://a": URL scheme must be https`],
    ['{url: "https://u:p@a", audiences: [x]}', `${at}url: Invalid value: "https://u:p@a": URL must not contain a username or password`],
    ['{url: "https://a?b=c", audiences: [x]}', `${at}url: Invalid value: "https://a?b=c": URL must not contain a query`],
    ['{url: "https://a#b", audiences: [x]}', `${at}url: Invalid value: "https://a#b": URL must not contain a fragment`],
    [
      '{url: "https://own", audiences: [x]}',
      `${at}url: Invalid value: "https://own": URL must not overlap with disallowed issuers: [https://own]`,
    ],
    [
      '{url: "https://a", discoveryURL: "https://a/", audiences: [x]}',
      `${at}discoveryURL: Invalid value: "https://a/": discoveryURL must be different from URL`,
    ],
    ['{url: "https://a"}', `${at}audiences: Required value: at least one jwt[0].issuer.audiences is required`],
    ['{url: "https://a", audiences: [x, x], audienceMatchPolicy: MatchAny}', `${at}audiences[1]: Duplicate value: "x"`],
    [
      '{url: "https://a", audiences: [x, z]}',
      `${at}audienceMatchPolicy: Invalid value: "": audienceMatchPolicy must be MatchAny for multiple audiences`,
    ],
    [
      '{url: "https://a", audiences: [x], certificateAuthority: nope}',
      `${at}certificateAuthority: Invalid value: "<omitted>": data does not contain any valid RSA or ECDSA certificates`,
    ],
    [
      '{url: "https://a", audiences: [x], egressSelectorType: etcd}',
      `${at}egressSelectorType: Invalid value: "etcd": egress selector must be either controlplane or cluster`,
    ],
  ])('reports the error of %s', (text, problem) => {
    expect(findProblem(`jwt: [{issuer: ${text}, claimMappings: {username: ${username}}}]`)).toBe(problem)
  })

  test('rejects two issuers with the same URL', () => {
    const jwt = `{issuer: ${issuer}, claimMappings: {username: ${username}}}`
    expect(findProblem(`jwt: [${jwt}, ${jwt}]`)).toBe('jwt[1].issuer.url: Duplicate value: "https://a"')
  })
})

describe('validation of mappings and rules', () => {
  const at = 'jwt[0].claimMappings.'
  test.each([
    ['claimMappings: {}', `${at}username: Required value: claim or expression is required`],
    [
      'claimMappings: {username: {claim: sub}}',
      `${at}username.prefix: Required value: prefix is required when claim is set. It can be set to an empty string to disable prefixing`,
    ],
    [
      'claimMappings: {username: {claim: sub, expression: claims.sub}}',
      `${at}username: Invalid value: "": claim and expression can't both be set`,
    ],
    [
      'claimMappings: {username: {expression: claims.email}}',
      `${at}username.expression: Invalid value: "claims.email": claims.email_verified must be used in claimMappings.username.expression or claimMappings.extra[*].valueExpression or claimValidationRules[*].expression when claims.email is used in claimMappings.username.expression`,
    ],
    ['claimMappings: {username: {expression: claims.email}}, claimValidationRules: [{expression: claims.email_verified == true}]', ''],
    [
      `claimMappings: {username: ${username}, extra: [{key: Team, valueExpression: claims.a}]}`,
      `[${at}extra[0].key: Invalid value: "Team": must be a domain-prefixed path (such as "acme.io/foo"), ${at}extra[0].key: Invalid value: "Team": must be lowercase]`,
    ],
    [
      `claimMappings: {username: ${username}, extra: [{key: a.k8s.io/b, valueExpression: claims.a}]}`,
      `${at}extra[0].key: Invalid value: "a.k8s.io/b": k8s.io, kubernetes.io and their subdomains are reserved for Kubernetes use`,
    ],
    [
      `claimMappings: {username: ${username}}, claimValidationRules: [{claim: a}, {claim: a}]`,
      'jwt[0].claimValidationRules[1].claim: Duplicate value: "a"',
    ],
    [
      `claimMappings: {username: ${username}}, claimValidationRules: [{}]`,
      'jwt[0].claimValidationRules[0]: Required value: claim or expression is required',
    ],
    [
      `claimMappings: {username: ${username}}, claimValidationRules: [{expression: claims.a}]`,
      'jwt[0].claimValidationRules[0].expression: Invalid value: "claims.a": must evaluate to bool',
    ],
    [
      `claimMappings: {username: ${username}}, userValidationRules: [{expression: ""}]`,
      'jwt[0].userValidationRules[0].expression: Required value',
    ],
  ])('accepts or rejects %s', (text, problem) => {
    expect(findProblem(`jwt: [{issuer: ${issuer}, ${text}}]`)).toBe(problem)
  })
})

test('rejects anonymous conditions if anonymous access is disabled', () => {
  expect(findProblem('anonymous: {enabled: false, conditions: [{path: /livez}]}')).toBe(
    'anonymous.conditions: Invalid value: [{"Path":"/livez"}]: enabled should be set to true when conditions are defined',
  )
})
