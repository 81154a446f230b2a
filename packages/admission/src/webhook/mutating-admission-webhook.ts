import { runAfter, newInternal } from '@keelson/apimachinery'
import type { AdmissionAttributes, AdmissionPlugin } from '../admission.ts'
import type { PluginFactory } from '../admission-plugins.ts'
import { isAdmissionConfiguration } from '../matching/is-admission-configuration.ts'
import { SecondCalls } from '../second-calls.ts'
import { applyHookPatch } from './apply-hook-patch.ts'
import { callHook } from './call-hook.ts'
import type { HookOutcome } from './call-hook.ts'
import type { HookEntry } from './hook-source.ts'
import { openHooks } from './open-hooks.ts'
import type { Hooks } from './open-hooks.ts'
import { recordOutcome } from './record-outcome.ts'
import { matchHook } from './match-hook.ts'
import type { Invocation } from './match-hook.ts'

const plugin = 'MutatingAdmissionWebhook'

/** Sends writes to mutating webhooks, which can change or refuse them. The webhooks are called one after the other. */
export const createMutatingAdmissionWebhookPlugin: PluginFactory = async (dependencies, configuration): Promise<AdmissionPlugin> => {
  const hooks = await openHooks('mutating', dependencies, configuration)
  return {
    name: plugin,
    operations: ['CREATE', 'UPDATE', 'DELETE', 'CONNECT'],
    admit(attributes) {
      if (isAdmissionConfiguration(attributes)) return undefined
      return runAfter(hooks.candidates(attributes), (entries) => (entries.length === 0 ? undefined : mutate(hooks, entries, attributes)))
    },
    ...hooks.lifetime,
  }
}

async function mutate(hooks: Hooks, entries: readonly HookEntry[], attributes: AdmissionAttributes): Promise<void> {
  const { reinvocation } = attributes
  const secondCalls = SecondCalls.of(attributes, plugin)
  secondCalls.begin(attributes)
  try {
    for (const entry of entries) {
      const invocation = await matchHook(entry.hook, attributes, hooks)
      if (invocation === undefined || secondCalls.skips(entry.hook.id, attributes)) continue
      if (await call(hooks, invocation, attributes, entry.position)) {
        secondCalls.require()
        reinvocation.request()
      }
      if (entry.hook.isReinvocable) secondCalls.add(entry.hook.id)
    }
  } finally {
    secondCalls.end(attributes)
  }
}

/** Calls one webhook and applies its patch. Returns whether the object changed. Throws the error with which the write is refused. */
async function call({ metrics }: Hooks, invocation: Invocation, attributes: AdmissionAttributes, position: number): Promise<boolean> {
  const { hook } = invocation
  const place = `round_${attributes.reinvocation.isSecondRun ? 1 : 0}_index_${position}`
  const began = performance.now()
  let mutated = false
  let outcome: HookOutcome
  try {
    outcome = await callHook(invocation, attributes)
    if (outcome.kind === 'allowed' && outcome.response.patch.length > 0) {
      const applied = await applyHookPatch(invocation, outcome.response, attributes)
      if (applied.failure !== undefined) outcome = applied.failure
      else {
        mutated = applied.changed
        if (applied.operations !== undefined) annotatePatch(invocation, attributes, place, applied.operations)
      }
    }
    recordOutcome(metrics, hook, attributes, { outcome, began })
  } finally {
    const value = { configuration: hook.configuration, webhook: hook.name, mutated }
    attributes.annotate(`mutation.webhook.admission.k8s.io/${place}`, JSON.stringify(value))
  }
  if (outcome.kind === 'rejected' || outcome.kind === 'refused') throw outcome.error
  if (outcome.kind === 'failed') {
    if (!hook.ignoresFailures) throw newInternal(outcome.message)
    attributes.annotate(`failed-open.mutation.webhook.admission.k8s.io/${place}`, hook.name)
  }
  return mutated
}

function annotatePatch({ hook }: Invocation, attributes: AdmissionAttributes, place: string, patch: unknown): void {
  const value = { configuration: hook.configuration, webhook: hook.name, patch, patchType: 'JSONPatch' }
  attributes.annotate(`patch.webhook.admission.k8s.io/${place}`, JSON.stringify(value), 'Request')
}
