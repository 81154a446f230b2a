import { formatDuration, quote } from '@keelson/apimachinery'
import type { LazySpanAttributes, SpanAttributes } from '@keelson/apimachinery'

/** Writes the traces of slow requests to the log. */
export interface TraceLog {
  /** Returns whether traces are logged now. */
  isEnabled(): boolean
  /** Returns whether traces have all their steps, and not only the slow ones. */
  isDetailed(): boolean
  /** Writes a trace: a text of several lines. */
  write(text: string): void
}

interface Step {
  readonly name: string
  readonly time: number
  readonly attributes: SpanAttributes | undefined
}

/** The limit of steps of one trace, for requests that repeat a step very often. */
const maxItems = 1000

/**
 * The steps of a request, for the log of slow requests. The format and the rules are kube-apiserver's: a trace is logged when its outermost
 * step ends, with the steps that took longer than their share of the threshold.
 *
 *     Trace[1298498081]: "Update" name:a,namespace:default (20-Nov-2026 09:00:00.000) (total time: 612ms):
 *     Trace[1298498081]: ["GuaranteedUpdate etcd3" key:/configmaps/default/a 605ms (09:00:00.004)
 *     Trace[1298498081]:  ---"Txn call completed" 600ms (09:00:00.610)]
 *     Trace[1298498081]: [612.345ms] [612.345ms] END
 */
export class LoggedTrace {
  readonly #log: TraceLog
  readonly #name: string
  readonly #attributes: LazySpanAttributes | undefined
  readonly #parent: LoggedTrace | undefined
  readonly #started: number = performance.now()
  #items: (Step | LoggedTrace)[] | undefined
  #count: { items: number }
  #ended: number | undefined
  #threshold: number | undefined

  constructor(log: TraceLog, name: string, attributes: LazySpanAttributes | undefined, parent?: LoggedTrace) {
    this.#log = log
    this.#name = name
    this.#attributes = attributes
    this.#parent = parent
    this.#count = parent === undefined ? { items: 0 } : parent.#count
  }

  startChild(name: string, attributes: LazySpanAttributes | undefined): LoggedTrace {
    const child = new LoggedTrace(this.#log, name, attributes, this)
    this.#add(child)
    return child
  }

  addStep(name: string, attributes: SpanAttributes | undefined): void {
    this.#add({ name, time: performance.now(), attributes })
  }

  /** Ends the trace. Logs it if it is the outermost one and took long enough. */
  end(threshold: number): void {
    if (this.#ended !== undefined) return
    this.#ended = performance.now()
    this.#threshold = threshold
    if (this.#parent === undefined && this.#log.isEnabled()) this.#write()
  }

  #add(item: Step | LoggedTrace): void {
    if (this.#count.items++ < maxItems) (this.#items ??= []).push(item)
  }

  get #duration(): number {
    return (this.#ended ?? performance.now()) - this.#started
  }

  get #isSlow(): boolean {
    return this.#ended !== undefined && this.#duration >= this.#threshold!
  }

  /** Logs this trace if it was slow. Otherwise, logs the slow steps in it as traces of their own. */
  #write(): void {
    if (!this.#isSlow) {
      for (const item of this.#items ?? []) if (item instanceof LoggedTrace) item.#write()
      return
    }
    const prefix = `Trace[${Math.floor(Math.random() * 2 ** 31)}]: `
    const duration = formatMilliseconds(this.#duration)
    const head = `${prefix}${quote(this.#name)} ${formatAttributes(this.#attributes)}(${formatDate(this.#started)})`
    const steps = this.#formatSteps(`\n${prefix}`, this.#stepThreshold())
    this.#log.write(`${head} (total time: ${Math.floor(this.#duration)}ms):${steps}\n${prefix}[${duration}] [${duration}] END\n`)
  }

  #formatSteps(prefix: string, threshold: number | undefined): string {
    let text = ''
    let last = this.#started
    for (const item of this.#items ?? []) {
      if (item instanceof LoggedTrace) {
        text += item.#format(prefix, threshold)
        last = item.#ended ?? item.#started
      } else {
        const duration = item.time - last
        if (threshold === undefined || threshold === 0 || duration >= threshold || this.#log.isDetailed())
          text += `${prefix}---${formatItem(item.name, item.attributes, duration, item.time)}`
        last = item.time
      }
    }
    return text
  }

  /** Formats this trace as a step of another one. */
  #format(prefix: string, threshold: number | undefined): string {
    if (this.#isSlow || this.#log.isDetailed()) {
      const head = formatItem(this.#name, this.#attributes, this.#duration, this.#started)
      return `${prefix}[${head}${this.#formatSteps(`${prefix} `, this.#stepThreshold() ?? threshold)}]`
    }
    return (this.#items ?? []).map((item) => (item instanceof LoggedTrace ? item.#format(prefix, threshold) : '')).join('')
  }

  /** Returns the share of the threshold of each step. Nested traces have thresholds of their own, which are subtracted. */
  #stepThreshold(): number | undefined {
    if (this.#threshold === undefined) return undefined
    const items = this.#items ?? []
    let shared = this.#threshold
    let shares = items.length + 1
    for (const item of items) {
      if (!(item instanceof LoggedTrace) || item.#threshold === undefined) continue
      shared -= item.#threshold
      shares--
    }
    const least = this.#threshold / 4
    return shared < least ? least / (items.length + 1) : shared / shares
  }
}

function formatItem(name: string, attributes: LazySpanAttributes | undefined, duration: number, time: number): string {
  return `${quote(name)} ${formatAttributes(attributes)}${Math.floor(duration)}ms (${formatClock(time)})`
}

// oxlint-disable-next-line no-control-regex
const controls = /[\u0000-\u001f\u007f]/g

function formatAttributes(attributes: LazySpanAttributes | undefined): string {
  const resolved = typeof attributes === 'function' ? attributes() : attributes
  if (resolved === undefined) return ''
  const text = Object.entries(resolved)
    .map(([name, value]) => `${name}:${value}`)
    .join(',')
  // Values come from clients, and a line feed could look like another line of the log.
  return text === '' ? '' : `${text.replace(controls, '\ufffd')} `
}

function formatMilliseconds(milliseconds: number): string {
  return formatDuration(BigInt(Math.round(milliseconds * 1e6)))
}

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** Formats a time of `performance.now()` in the local time zone: 20-Nov-2026 09:00:00.000. */
function formatDate(time: number): string {
  const date = new Date(performance.timeOrigin + time)
  return `${pad(date.getDate(), 2)}-${months[date.getMonth()]}-${date.getFullYear()} ${formatClock(time)}`
}

function formatClock(time: number): string {
  const date = new Date(performance.timeOrigin + time)
  return `${pad(date.getHours(), 2)}:${pad(date.getMinutes(), 2)}:${pad(date.getSeconds(), 2)}.${pad(date.getMilliseconds(), 3)}`
}

function pad(value: number, length: number): string {
  return String(value).padStart(length, '0')
}
