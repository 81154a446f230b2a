import { createMetricsRegistry } from '@keelson/apimachinery/metrics'
import type { AdmissionAttributes, AdmissionChain, AdmissionOperation, AdmissionPlugin } from './admission.ts'
import { createAdmissionMetrics } from './admission-metrics.ts'
import type { AdmissionMetrics, AdmissionType, ObserveAdmission } from './admission-metrics.ts'
import { thrownBy } from './plugin-error.ts'

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
  /** Default: what is measured is shown nowhere. */
  readonly metrics?: AdmissionMetrics
}

/** Plugins in the order given: every `admit` first, then every `validate`. The first refusal ends it. Disposing disposes plugins that hold something. */
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

/** Has every operation that any plugin handles, in both halves. */
function phases(
  plugins: readonly AdmissionPlugin[],
  half: AdmissionType,
  metrics: AdmissionMetrics,
): ReadonlyMap<AdmissionOperation, Phase> {
  const made = new Map<AdmissionOperation, Phase>()
  for (const plugin of plugins) {
    for (const operation of plugin.operations ?? writes) {
      let phase = made.get(operation)
      if (phase === undefined) made.set(operation, (phase = { steps: [], observe: metrics.step(half, operation) }))
      if (plugin[half] === undefined) continue
      phase.steps.push({
        plugin: plugin.name,
        run: (attributes) => plugin[half]!(attributes),
        observe: metrics.plugin(plugin.name, half, operation),
      })
    }
  }
  return made
}

function begin(phase: Phase | undefined, attributes: AdmissionAttributes): Promise<void> | void {
  if (phase === undefined) return
  const now = performance.now()
  return run(phase, attributes, 0, now, now)
}

/** Goes on without a promise for as long as the plugins do. The end of one step is the beginning of the next: the clock is read once for both. */
function run(phase: Phase, attributes: AdmissionAttributes, from: number, phaseBegan: number, stepBegan: number): Promise<void> | void {
  const { steps } = phase
  let began = stepBegan
  for (let i = from; i < steps.length; i++) {
    const step = steps[i]!
    try {
      const pending = step.run(attributes)
      if (pending !== undefined) {
        return pending.then(
          () => run(phase, attributes, i + 1, phaseBegan, ended(step, began)),
          (error: unknown) => refuse(phase, step, phaseBegan, began, error),
        )
      }
    } catch (error) {
      refuse(phase, step, phaseBegan, began, error)
    }
    began = ended(step, began)
  }
  phase.observe(false, (began - phaseBegan) / 1000, began)
}

function ended(step: Step, began: number): number {
  const now = performance.now()
  step.observe(false, (now - began) / 1000, now)
  return now
}

function refuse(phase: Phase, step: Step, phaseBegan: number, stepBegan: number, error: unknown): never {
  const now = performance.now()
  step.observe(true, (now - stepBegan) / 1000, now)
  phase.observe(true, (now - phaseBegan) / 1000, now)
  throw thrownBy(step.plugin, error)
}

function isAsyncDisposable(value: object): value is AsyncDisposable {
  return Symbol.asyncDispose in value
}
