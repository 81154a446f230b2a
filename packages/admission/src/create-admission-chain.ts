import { createMetricsRegistry, createHistogram, createSummary, memoize } from '@keelson/apimachinery/metrics'
import type { AdmissionAttributes, AdmissionChain, AdmissionOperation, AdmissionPlugin } from './admission.ts'
import { isApiError, runAfter, getErrorMessage } from '@keelson/apimachinery'
import type { Histogram, MetricsRegistry, Summary } from '@keelson/apimachinery/metrics'

const writes: readonly AdmissionOperation[] = ['CREATE', 'UPDATE', 'DELETE']

/** One phase of one plugin, for one operation and one resource. */
interface Step {
  readonly plugin: string
  /** Runs the phase. Undefined if the plugin does not handle the resource: the metrics then still count the step, as in kube-apiserver. */
  readonly run: ((attributes: AdmissionAttributes) => Promise<void> | void) | undefined
  readonly observe: ObserveAdmission
}

/** Steps for a resource that at least one plugin lists. */
interface ResourceSteps {
  readonly resource: AdmittedResource
  readonly steps: readonly Step[]
}

/** One phase of all plugins, for one operation. */
interface Phase {
  /** Steps for resources that no plugin lists. */
  readonly steps: readonly Step[]
  /** Steps for resources that a plugin lists, by plural name. */
  readonly named: ReadonlyMap<string, readonly ResourceSteps[]>
  readonly observe: ObserveAdmission
}

interface AdmittedResource {
  readonly resource: string
  readonly group: string
  readonly subresource: string
}

interface AdmissionChainOptions {
  /** Metrics of the chain. Default: the metrics are not exported. */
  readonly metrics?: AdmissionMetrics
}

/**
 * Creates an admission chain. It runs `admit` of all plugins in the given order, and then `validate` of all plugins. The chain ends when a
 * plugin rejects the write. Disposing the chain disposes the plugins.
 */
export function createAdmissionChain(
  plugins: readonly AdmissionPlugin[],
  { metrics = createAdmissionMetrics(createMetricsRegistry()) }: AdmissionChainOptions = {},
): AdmissionChain & AsyncDisposable {
  const admitting = buildPhases(plugins, 'admit', metrics)
  const validating = buildPhases(plugins, 'validate', metrics)
  return {
    handles: (operation) => admitting(operation) !== undefined,
    admit: (attributes) => admitTwice(admitting(attributes.operation), attributes),
    validate: (attributes) => begin(validating(attributes.operation), attributes),
    [Symbol.asyncDispose]: () => disposePlugins(plugins),
  }
}

/** Disposes the plugins that are disposable, the last one first. */
export async function disposePlugins(plugins: readonly AdmissionPlugin[]): Promise<void> {
  for (const plugin of plugins.toReversed()) {
    if (isAsyncDisposable(plugin)) await plugin[Symbol.asyncDispose]()
  }
}

/** Returns a function that finds the phase of an operation, which it builds on first use. Operations that no plugin handles have no phase. */
function buildPhases(
  plugins: readonly AdmissionPlugin[],
  type: AdmissionType,
  metrics: AdmissionMetrics,
): (operation: AdmissionOperation) => Phase | undefined {
  const operations = new Set(plugins.flatMap((plugin) => plugin.operations ?? writes))
  const entries = new Map(plugins.map((plugin) => [plugin, plugin.resources?.map(parseResource)]))
  const named = deduplicateResources([...entries.values()].flatMap((each) => each ?? []))
  const buildPhase = (operation: AdmissionOperation): Phase => {
    const handlers = plugins
      .filter((plugin) => plugin[type] !== undefined && (plugin.operations ?? writes).includes(operation))
      .map((plugin) => ({ plugin, observe: metrics.plugin(plugin.name, type, operation) }))
    const listStepsFor = (resource: AdmittedResource | undefined): readonly Step[] =>
      handlers.map(({ plugin, observe }) => ({
        plugin: plugin.name,
        run: handlesResource(entries.get(plugin), resource) ? (attributes) => plugin[type]!(attributes) : undefined,
        observe,
      }))
    const byName = Map.groupBy(
      named.map((resource): ResourceSteps => ({ resource, steps: listStepsFor(resource) })),
      ({ resource }) => resource.resource,
    )
    return { steps: listStepsFor(undefined), named: byName, observe: metrics.step(type, operation) }
  }
  const phases = new Map<AdmissionOperation, Phase>()
  return (operation) => {
    let phase = phases.get(operation)
    if (phase === undefined && operations.has(operation)) phases.set(operation, (phase = buildPhase(operation)))
    return phase
  }
}

/** Parses an entry of a plugin's resource list, such as "pods", "deployments.apps" or "pods/resize". */
function parseResource(text: string): AdmittedResource {
  const [path = '', subresource = ''] = text.split('/')
  const [resource = '', ...group] = path.split('.')
  return { resource, group: group.join('.'), subresource }
}

/** Removes duplicates. Puts wildcards at the end, so that a search finds an exact entry first. */
function deduplicateResources(resources: readonly AdmittedResource[]): readonly AdmittedResource[] {
  const unique = new Map(resources.map((each) => [`${each.resource}.${each.group}/${each.subresource}`, each]))
  return [...unique.values()].sort((a, b) => Number(a.subresource === '*') - Number(b.subresource === '*'))
}

/**
 * Returns whether a plugin handles a resource. `entries` is the plugin's resource list, or undefined if it handles all. `resource` is
 * undefined for resources that no plugin lists.
 */
function handlesResource(entries: readonly AdmittedResource[] | undefined, resource: AdmittedResource | undefined): boolean {
  if (entries === undefined) return true
  return resource !== undefined && entries.some((entry) => includes(entry, resource))
}

/** Returns whether an entry of a plugin's resource list matches a resource. */
function includes(entry: AdmittedResource, { resource, group, subresource }: AdmittedResource): boolean {
  if (entry.resource !== resource || entry.group !== group) return false
  return entry.subresource === subresource || (entry.subresource === '*' && subresource !== '')
}

/** Runs the mutating phase. Runs it a second time if a plugin requests that. */
function admitTwice(phase: Phase | undefined, attributes: AdmissionAttributes): Promise<void> | void {
  return runAfter(begin(phase, attributes), () => {
    const { reinvocation } = attributes
    if (!reinvocation.isRequested) return
    reinvocation.isSecondRun = true
    return begin(phase, attributes)
  })
}

function begin(phase: Phase | undefined, attributes: AdmissionAttributes): Promise<void> | void {
  if (phase === undefined) return
  const now = performance.now()
  return run({ attributes, observe: phase.observe, steps: listSteps(phase, attributes), began: now }, 0, now)
}

function listSteps({ steps, named }: Phase, { resource: { resource, group }, subresource }: AdmissionAttributes): readonly Step[] {
  const candidates = named.get(resource)
  if (candidates === undefined) return steps
  return candidates.find((candidate) => includes(candidate.resource, { resource, group, subresource }))?.steps ?? steps
}

/** State of a write that passes through a phase. */
interface Passage {
  readonly attributes: AdmissionAttributes
  readonly observe: ObserveAdmission
  readonly steps: readonly Step[]
  readonly began: number
}

/**
 * Runs the steps of a phase, starting at index `from`. Returns a promise only if a plugin does. Reads the clock once per step: the end of a
 * step is the start of the next.
 */
function run(passage: Passage, from: number, stepBegan: number): Promise<void> | void {
  const { steps, attributes } = passage
  let began = stepBegan
  for (let i = from; i < steps.length; i++) {
    const step = steps[i]!
    if (step.run === undefined) {
      step.observe(false, 0, began)
      continue
    }
    try {
      const pending = step.run(attributes)
      if (pending !== undefined) {
        return pending.then(
          () => run(passage, i + 1, finishStep(step, began)),
          (error: unknown) => refuse(passage, step, began, error),
        )
      }
    } catch (error) {
      refuse(passage, step, began, error)
    }
    began = finishStep(step, began)
  }
  passage.observe(false, (began - passage.began) / 1000, began)
}

function finishStep(step: Step, began: number): number {
  const now = performance.now()
  step.observe(false, (now - began) / 1000, now)
  return now
}

function refuse(passage: Passage, step: Step, stepBegan: number, error: unknown): never {
  const now = performance.now()
  step.observe(true, (now - stepBegan) / 1000, now)
  passage.observe(true, (now - passage.began) / 1000, now)
  throw toChainError(step.plugin, error)
}

function isAsyncDisposable(value: object): value is AsyncDisposable {
  return Symbol.asyncDispose in value
}

/** Error for a plugin that threw something other than an API error. The message names the plugin. `cause` has the thrown value. */
class AdmissionPluginError extends Error {
  override readonly name = 'AdmissionPluginError'
}

// Names of errors that mean that the request ended while the plugin was waiting. They are not bugs. The server recognizes them by name,
// too.
const abortErrorNames: ReadonlySet<unknown> = new Set(['AbortError', 'ClientGoneError', 'DeadlineExceededError'])

/** Wraps an error that a plugin threw in an `AdmissionPluginError`. API errors and aborts are returned unchanged. */
function toChainError(plugin: string, error: unknown): unknown {
  if (isApiError(error) || abortErrorNames.has((error as Error | undefined)?.name)) return error
  const reason = getErrorMessage(error)
  return new AdmissionPluginError(`the admission plugin ${JSON.stringify(plugin)} failed: ${reason}`, { cause: error })
}

const buckets = [0.005, 0.025, 0.1, 0.5, 1, 2.5]
const summaryAgeMs = 5 * 3_600_000

/** Records one call that ended at `now` (`performance.now()`). Does not allocate memory for existing series. */
type ObserveAdmission = (rejected: boolean, seconds: number, now: number) => void
type AdmissionType = 'admit' | 'validate'

/** Admission metrics with kube-apiserver's names, so that existing dashboards and alerts work. */
export interface AdmissionMetrics {
  /** Returns the function that records calls of one phase of a plugin. */
  plugin(name: string, type: AdmissionType, operation: AdmissionOperation): ObserveAdmission
  /** Returns the function that records one phase of the whole chain. */
  step(type: AdmissionType, operation: AdmissionOperation): ObserveAdmission
}

export function createAdmissionMetrics(registry: MetricsRegistry): AdmissionMetrics {
  const registerHistogram = (name: string, help: string): ReturnType<typeof createHistogram> =>
    registry.register(createHistogram(name, `[STABLE] ${help}`, buckets))
  const steps = registerHistogram(
    'apiserver_admission_step_admission_duration_seconds',
    'How long all admission plugins took together, by type (validate or admit) and operation.',
  )
  const summaries = registry.register(
    createSummary(
      'apiserver_admission_step_admission_duration_seconds_summary',
      '[ALPHA] How long all admission plugins took together, by type (validate or admit) and operation.',
      summaryAgeMs,
    ),
  )
  const plugins = registerHistogram(
    'apiserver_admission_controller_admission_duration_seconds',
    'How long an admission plugin took, by its name, type (validate or admit) and operation.',
  )
  return {
    plugin: (name, type, operation) => {
      const series = selectByOutcome((rejected) => plugins.with({ name, type, operation, rejected }))
      return (rejected, seconds) => series(rejected).observe(seconds)
    },
    step: (type, operation) => {
      const series = selectByOutcome((rejected): { histogram: Histogram; summary: Summary } => {
        const labels = { type, operation, rejected }
        return { histogram: steps.with(labels), summary: summaries.with(labels) }
      })
      return (rejected, seconds, now) => {
        const { histogram, summary } = series(rejected)
        histogram.observe(seconds)
        summary.observe(seconds, now)
      }
    },
  }
}

/** Returns a function that returns the metric series for an outcome. A series is created on first use. */
function selectByOutcome<S>(make: (rejected: 'true' | 'false') => S): (rejected: boolean) => S {
  const accepted = memoize(() => make('false'))
  const refused = memoize(() => make('true'))
  return (rejected) => (rejected ? refused() : accepted())
}
