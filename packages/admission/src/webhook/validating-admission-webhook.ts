import { runAfter, newInternal } from '@keelson/apimachinery'
import type { AdmissionAttributes, AdmissionPlugin } from '../admission.ts'
import type { PluginFactory } from '../admission-plugins.ts'
import { isAdmissionConfiguration } from '../matching/is-admission-configuration.ts'
import { callHook } from './call-hook.ts'
import { openHooks } from './open-hooks.ts'
import type { Hooks } from './open-hooks.ts'
import { recordOutcome } from './record-outcome.ts'
import { matchHook } from './match-hook.ts'
import type { Invocation } from './match-hook.ts'
import type { HookEntry } from './hook-source.ts'

/** Sends writes to validating webhooks, which can refuse them. All webhooks that match a write are called at the same time. */
export const createValidatingAdmissionWebhookPlugin: PluginFactory = async (dependencies, configuration): Promise<AdmissionPlugin> => {
  const hooks = await openHooks('validating', dependencies, configuration)
  return {
    name: 'ValidatingAdmissionWebhook',
    operations: ['CREATE', 'UPDATE', 'DELETE', 'CONNECT'],
    validate(attributes) {
      if (isAdmissionConfiguration(attributes)) return undefined
      return runAfter(hooks.candidates(attributes), (entries) => (entries.length === 0 ? undefined : validate(hooks, entries, attributes)))
    },
    ...hooks.lifetime,
  }
}

async function validate(hooks: Hooks, entries: readonly HookEntry[], attributes: AdmissionAttributes): Promise<void> {
  const invocations: Invocation[] = []
  for (const { hook } of entries) {
    const invocation = await matchHook(hook, attributes, hooks)
    if (invocation !== undefined) invocations.push(invocation)
  }
  if (invocations.length === 0) return
  const errors: unknown[] = []
  await Promise.all(
    invocations.map(async (invocation, i) => {
      try {
        await call(hooks, invocation, attributes, i)
      } catch (error) {
        errors.push(error)
      }
    }),
  )
  if (errors.length > 0) throw errors[0]
}

/** Calls one webhook. Throws the error with which the write is refused. */
async function call({ metrics }: Hooks, invocation: Invocation, attributes: AdmissionAttributes, position: number): Promise<void> {
  const { hook } = invocation
  const began = performance.now()
  const outcome = await callHook(invocation, attributes)
  recordOutcome(metrics, hook, attributes, { outcome, began })
  if (outcome.kind === 'rejected' || outcome.kind === 'refused') throw outcome.error
  if (outcome.kind === 'allowed') return
  if (!hook.ignoresFailures) throw newInternal(outcome.message)
  attributes.annotate(`failed-open.validating.webhook.admission.k8s.io/round_0_index_${position}`, hook.name)
}
