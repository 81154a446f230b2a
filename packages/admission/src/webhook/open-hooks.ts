import { createMetricsRegistry } from '@keelson/apimachinery/metrics'
import { createDialer, readKubeconfigUsers } from '@keelson/outbound'
import type { Authorizer } from '@keelson/auth'
import { runAfter } from '@keelson/apimachinery'
import type { AdmissionAttributes } from '../admission.ts'
import type { PluginDependencies } from '../admission-plugins.ts'
import { createMatcher } from '../matching/create-matcher.ts'
import type { Matcher } from '../matching/create-matcher.ts'
import { getMatchConditionMetrics } from '../matching/match-condition-metrics.ts'
import type { HookType } from './hook.ts'
import { HookClients } from './hook-clients.ts'
import { HookSource } from './hook-source.ts'
import type { HookEntry } from './hook-source.ts'
import { readWebhookConfiguration } from './read-webhook-configuration.ts'
import { getWebhookMetrics } from './webhook-metrics.ts'
import type { WebhookMetrics } from './webhook-metrics.ts'

/** The webhooks of one type, and what calling them needs. */
export interface Hooks {
  readonly matcher: Matcher
  readonly authorizer: Authorizer
  readonly metrics: WebhookMetrics
  /** Returns the webhooks whose rules can match a write. Returns a promise only until the configurations have been read. */
  candidates(attributes: AdmissionAttributes): readonly HookEntry[] | Promise<readonly HookEntry[]>
  /** Closes the connections. Part of the plugin. */
  readonly lifetime: AsyncDisposable
}

/** Opens the webhooks of one type. Rejects if the plugin's configuration is invalid. */
export async function openHooks(type: HookType, dependencies: PluginDependencies, configuration: unknown): Promise<Hooks> {
  const { kubeConfigFile } = readWebhookConfiguration(configuration)
  const users = kubeConfigFile === undefined ? undefined : await readKubeconfigUsers(kubeConfigFile)
  const { authorizer, dialer = createDialer(), metrics: registry = createMetricsRegistry() } = dependencies
  const clients = new HookClients({ dialer, users })
  const source = new HookSource(dependencies, { type, clients, metrics: getMatchConditionMetrics(registry) })
  return {
    matcher: createMatcher(dependencies),
    authorizer,
    metrics: getWebhookMetrics(registry),
    candidates: (attributes) => runAfter(source.index(attributes), (index) => index.candidates(attributes)),
    lifetime: {
      async [Symbol.asyncDispose]() {
        clients.retain([])
      },
    },
  }
}
