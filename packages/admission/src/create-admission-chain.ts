import { createMetricsRegistry } from '@keelson/apimachinery/metrics'
import type { AdmissionAttributes, AdmissionChain, AdmissionOperation, AdmissionPlugin } from './admission.ts'
import { createAdmissionMetrics } from './admission-metrics.ts'
import type { AdmissionMetrics, AdmissionType, ObserveAdmission } from './admission-metrics.ts'
import { toChainError } from './plugin-error.ts'

const writes: readonly AdmissionOperation[] = ['CREATE', 'UPDATE', 'DELETE']

interface Step {
  readonly plugin: string
  readonly run: (attributes: AdmissionAttributes) => Promise<void> | void
  readonly observe: ObserveAdmission
}
interface Phase {
  readonly steps: Step[]
  readonly observe: ObserveAdmission
}

export interface AdmissionChainOptions {
  /** Default: no metrics. */
  readonly metrics?: AdmissionMetrics
}

/**
 * Chains plugins in the given order: every `admit`, then every `validate`. The first refusal ends the chain. Disposing it disposes the
 * plugins.
 */
export function createAdmissionChain(
  plugins: readonly AdmissionPlugin[],
  { metrics = createAdmissionMetrics(createMetricsRegistry()) }: AdmissionChainOptions = {},
): AdmissionChain & AsyncDisposable {
  const admitting = phases(plugins, 'admit', metrics)
  const validating = phases(plugins, 'validate', metrics)
  return {
    handles: (operation) => admitting.has(operation),
    admit: (attributes) => begin(admitting.get(attributes.operation), attributes),
    validate: (attributes) => begin(validating.get(attributes.operation), attributes),
    async [Symbol.asyncDispose]() {
      for (const plugin of plugins.toReversed()) {
        if (isAsyncDisposable(plugin)) await plugin[Symbol.asyncDispose]()
      }
    },
  }
}

/** Builds both phases for every operation that any plugin handles. */
function phases(
  plugins: readonly AdmissionPlugin[],
  type: AdmissionType,
  metrics: AdmissionMetrics,
): ReadonlyMap<AdmissionOperation, Phase> {
  const phasesByOperation = new Map<AdmissionOperation, Phase>()
  for (const plugin of plugins) {
    for (const operation of plugin.operations ?? writes) {
      let phase = phasesByOperation.get(operation)
      if (phase === undefined) phasesByOperation.set(operation, (phase = { steps: [], observe: metrics.step(type, operation) }))
      if (plugin[type] === undefined) continue
      phase.steps.push({
        plugin: plugin.name,
        run: (attributes) => plugin[type]!(attributes),
        observe: metrics.plugin(plugin.name, type, operation),
      })
    }
  }
  return phasesByOperation
}

function begin(phase: Phase | undefined, attributes: AdmissionAttributes): Promise<void> | void {
  if (phase === undefined) return
  const now = performance.now()
  return run(phase, attributes, 0, now, now)
}

/** Runs without a promise until a plugin returns one. The clock is read once per step: the end of one is the start of the next. */
function run(phase: Phase, attributes: AdmissionAttributes, from: number, phaseBegan: number, stepBegan: number): Promise<void> | void {
  const { steps } = phase
  let began = stepBegan
  for (let i = from; i < steps.length; i++) {
    const step = steps[i]!
    try {
      const pending = step.run(attributes)
      if (pending !== undefined) {
        return pending.then(
          () => run(phase, attributes, i + 1, phaseBegan, finishStep(step, began)),
          (error: unknown) => refuse(phase, step, phaseBegan, began, error),
        )
      }
    } catch (error) {
      refuse(phase, step, phaseBegan, began, error)
    }
    began = finishStep(step, began)
  }
  phase.observe(false, (began - phaseBegan) / 1000, began)
}

function finishStep(step: Step, began: number): number {
  const now = performance.now()
  step.observe(false, (now - began) / 1000, now)
  return now
}

function refuse(phase: Phase, step: Step, phaseBegan: number, stepBegan: number, error: unknown): never {
  const now = performance.now()
  step.observe(true, (now - stepBegan) / 1000, now)
  phase.observe(true, (now - phaseBegan) / 1000, now)
  throw toChainError(step.plugin, error)
}

function isAsyncDisposable(value: object): value is AsyncDisposable {
  return Symbol.asyncDispose in value
}
