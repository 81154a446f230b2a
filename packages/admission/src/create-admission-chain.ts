import type { AdmissionAttributes, AdmissionChain, AdmissionOperation, AdmissionPlugin } from './admission.ts'

const writes: readonly AdmissionOperation[] = ['CREATE', 'UPDATE', 'DELETE']

type Step = (attributes: AdmissionAttributes) => Promise<void> | void
type Steps = ReadonlyMap<AdmissionOperation, readonly Step[]>

/** Plugins in the order given: every `admit` first, then every `validate`. The first refusal ends it. Disposing disposes plugins that hold something. */
export function createAdmissionChain(plugins: readonly AdmissionPlugin[]): AdmissionChain & AsyncDisposable {
  const admitting = stepsByOperation(plugins, 'admit')
  const validating = stepsByOperation(plugins, 'validate')
  return {
    handles: (operation) => admitting.has(operation),
    admit: (attributes) => run(admitting.get(attributes.operation) ?? [], attributes),
    validate: (attributes) => run(validating.get(attributes.operation) ?? [], attributes),
    async [Symbol.asyncDispose]() {
      for (const plugin of plugins.toReversed()) {
        if (isAsyncDisposable(plugin)) await plugin[Symbol.asyncDispose]()
      }
    },
  }
}

/** Has every operation that any plugin handles, in both halves. */
function stepsByOperation(plugins: readonly AdmissionPlugin[], half: 'admit' | 'validate'): Steps {
  const steps = new Map<AdmissionOperation, Step[]>()
  for (const plugin of plugins) {
    for (const operation of plugin.operations ?? writes) {
      let list = steps.get(operation)
      if (list === undefined) steps.set(operation, (list = []))
      if (plugin[half] !== undefined) list.push((attributes) => plugin[half]!(attributes))
    }
  }
  return steps
}

/** Goes on without a promise for as long as the plugins do. */
function run(steps: readonly Step[], attributes: AdmissionAttributes, from = 0): Promise<void> | void {
  for (let i = from; i < steps.length; i++) {
    const pending = steps[i]!(attributes)
    if (pending !== undefined) return pending.then(() => run(steps, attributes, i + 1))
  }
}

function isAsyncDisposable(value: object): value is AsyncDisposable {
  return Symbol.asyncDispose in value
}
