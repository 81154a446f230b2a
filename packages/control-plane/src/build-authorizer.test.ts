import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createResourceAction } from '@keelson/apimachinery'
import { createMetricsRegistry } from '@keelson/apimachinery/metrics'
import { createManualClock } from '@keelson/apimachinery/testing'
import type { Authorizer, Decision } from '@keelson/auth'
import type { OutboundRequest } from '@keelson/outbound'
import { afterAll, expect, test } from 'vitest'
import { buildAuthorization, checkAuthorization } from './build-authorizer.ts'
import type { ServerChainOptions } from './options/server-chain-options.ts'

type AuthorizationOptions = NonNullable<ServerChainOptions['authorization']>

const directory = mkdtempSync(path.join(tmpdir(), 'keelson-authorization-'))
afterAll(() => rmSync(directory, { recursive: true }))
const write = (name: string, text: string): string => {
  const file = path.join(directory, name)
  // Writes a new file and renames it, so that the server never reads a partly written file.
  writeFileSync(`${file}.new`, text)
  renameSync(`${file}.new`, file)
  return file
}

const action = createResourceAction({ verb: 'get', apiGroup: '', apiVersion: 'v1', namespace: '', resource: 'nodes', name: 'a' })
const attributes = { user: { name: 'alice', groups: [] as string[] }, action }

async function open(authorization: AuthorizationOptions, authorizers: Authorizer[] = []) {
  const [clock, metrics, logged, requests] = [createManualClock(), createMetricsRegistry(), [] as string[], [] as string[]]
  const createClient = (target: { readonly url: string }) => ({
    request: async ({ body }: OutboundRequest) => {
      requests.push(target.url)
      const answer = { ...(JSON.parse(body as string) as object), status: { allowed: true, reason: target.url } }
      return { failed: false as const, status: 200, headers: {}, body: Buffer.from(JSON.stringify(answer)) }
    },
    [Symbol.dispose]: () => void requests.push(`closed ${target.url}`),
  })
  const built = await buildAuthorization(
    { authorization, authorizers, log: (_level, text) => void logged.push(text) },
    { clock, metrics, dialer: { client: createClient } },
  )
  return { ...built, clock, logged, asked: requests, metrics: () => metrics.text() }
}

async function decide(authorization: AuthorizationOptions, authorizers: Authorizer[] = [], groups: string[] = []): Promise<Decision> {
  await using built = await open(authorization, authorizers)
  return built.authorizer.authorize({ ...attributes, user: { name: 'alice', groups } })
}

test('asks the authorization modes in order, after system:masters and custom authorizers', async () => {
  const deny: Authorizer = { authorize: () => ({ decision: 'deny', reason: 'no' }) }
  expect(await decide({ modes: ['AlwaysDeny', 'AlwaysAllow'] })).toEqual({ decision: 'allow', reason: '' })
  expect(await decide({ modes: ['AlwaysDeny'] })).toEqual({ decision: 'noOpinion', reason: 'Everything is forbidden.' })
  expect(await decide({ modes: ['AlwaysAllow'] }, [deny])).toEqual({ decision: 'deny', reason: 'no' })
  expect(await decide({ modes: ['AlwaysDeny'] }, [deny], ['system:masters'])).toEqual({ decision: 'allow', reason: '' })
})

test.each<[AuthorizationOptions, string]>([
  [{ modes: [] }, 'at least one authorization-mode must be passed'],
  [{ modes: ['RBAC', 'Node', 'RBAC'] }, 'authorization-mode ["RBAC" "Node" "RBAC"] has mode specified more than once'],
  [{ modes: ['ABAC'] }, "authorization-mode ABAC's authorization policy file not passed"],
  [{ modes: ['Webhook'] }, "authorization-mode Webhook's authorization config file not passed"],
  [{ policyFile: 'a' }, 'cannot specify --authorization-policy-file without mode ABAC'],
  [{ webhook: { kubeconfigFile: 'a' } }, 'cannot specify --authorization-webhook-config-file without mode Webhook'],
  [
    { configFile: 'a', modes: ['RBAC'] },
    '--authorization-config can not be specified when --authorization-mode or --authorization-webhook-* flags are defined',
  ],
])('refuses %j', (authorization, problem) => {
  expect(() => checkAuthorization({ authorization })).toThrow(problem)
})

test('reads the ABAC policy file', async () => {
  const policyFile = write('policies', '{"user":"alice","readonly":true}')
  expect(await decide({ modes: ['ABAC'], policyFile })).toEqual({ decision: 'allow', reason: '' })
  await expect(open({ modes: ['ABAC'], policyFile: write('bad', '{') })).rejects.toThrow(
    'the policy file cannot be used: error reading policy file',
  )
})

const writeKubeconfig = (name: string): string =>
  write(
    name,
    `{clusters: [{name: c, cluster: {server: "https://${name}/"}}], users: [], contexts: [{name: x, context: {cluster: c}}], current-context: x}`,
  )

test('asks the webhook that the kubeconfig names', async () => {
  await using built = await open({ modes: ['Webhook'], webhook: { kubeconfigFile: writeKubeconfig('hook') } })
  expect(await built.authorizer.authorize(attributes)).toEqual({ decision: 'allow', reason: 'https://hook/?timeout=30s' })
  expect(built.metrics()).toContain('apiserver_authorization_decisions_total{decision="allowed",name="default",type="Webhook"} 1')
  await expect(open({ modes: ['Webhook'], webhook: { kubeconfigFile: '/nowhere' } })).rejects.toThrow(
    'stat /nowhere: no such file or directory',
  )
})

test('reloads the configuration file on changes', async () => {
  const head = 'apiVersion: apiserver.config.k8s.io/v1\nkind: AuthorizationConfiguration\n'
  const formatWebhook = (name: string): string =>
    `{type: Webhook, name: ${name}, webhook: {timeout: 3s, subjectAccessReviewVersion: v1, failurePolicy: Deny, connectionInfo: {type: KubeConfigFile, kubeConfigFile: ${writeKubeconfig(name)}}}}`
  const rewrite = (...authorizers: string[]): string => write('config', `${head}authorizers: [${authorizers.join(', ')}]`)
  const denies = '{type: AlwaysDeny, name: alwaysdeny}'
  await using built = await open({ configFile: rewrite(denies) })
  const decideAgain = async () => built.authorizer.authorize(attributes)
  const waitForLog = async (text: string): Promise<void> => {
    await expect
      .poll(() => {
        built.clock.advance(5000)
        return built.logged.join('\n')
      })
      .toContain(text)
    built.logged.splice(0)
  }
  expect((await decideAgain()).decision).toBe('noOpinion')
  expect(built.metrics()).toMatch(
    /apiserver_authorization_config_controller_last_config_info\{apiserver_id_hash="sha256:\w+",hash="sha256:\w+"\} 1/,
  )

  rewrite(denies, formatWebhook('one'))
  await waitForLog('Reloaded the authorization configuration')
  expect(await decideAgain()).toEqual({ decision: 'allow', reason: 'https://one/?timeout=3s' })

  rewrite(formatWebhook('two'))
  await waitForLog('the previous one stays in use: missing required types: [AlwaysDeny]')
  expect(await decideAgain()).toEqual({ decision: 'allow', reason: 'https://one/?timeout=3s' })
  rewrite(denies, '{type: RBAC, name: rbac}')
  await waitForLog('authorizer type RBAC is not allowed if it was not enabled at initial server startup')

  rewrite(formatWebhook('two'), denies)
  await waitForLog('Reloaded')
  expect(await decideAgain()).toEqual({ decision: 'allow', reason: 'https://two/?timeout=3s' })
  built.clock.advance(60_000)
  expect(built.asked).toContain('closed https://one/?timeout=3s')
  expect(built.metrics()).toMatch(/automatic_reloads_total\{apiserver_id_hash="[^"]+",status="failure"\} 2/)
  expect(built.metrics()).toMatch(/automatic_reloads_total\{apiserver_id_hash="[^"]+",status="success"\} 2/)
})
