import { spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { freePorts } from '../real-parts/etcd-process.ts'

/** A span as the collector received it. */
export interface ReceivedSpan {
  readonly traceId: string
  readonly parentId: string
  readonly id: string
  readonly name: string
  readonly kind: string
  readonly attributes: Readonly<Record<string, string>>
  readonly events: readonly string[]
  /** Attributes of the process that sent the span. */
  readonly resource: Readonly<Record<string, string>>
}

export interface CollectorProcess extends AsyncDisposable {
  /** Address for spans: "127.0.0.1:PORT". */
  readonly endpoint: string
  /** Path of a TracingConfiguration with this collector. The server records only the traces of trusted clients that ask for it. */
  readonly configFile: string
  /** Waits until the collector has the span of a trace that ends last, and returns all spans of the trace. */
  spansOf(traceId: string, isComplete: (spans: readonly ReceivedSpan[]) => boolean): Promise<readonly ReceivedSpan[]>
}

/** Starts an OpenTelemetry collector that prints the spans it receives. */
export async function startCollector(binary: string): Promise<CollectorProcess> {
  const directory = await mkdtemp(path.join(os.tmpdir(), 'keelson-collector-'))
  const [port] = await freePorts(1)
  const endpoint = `127.0.0.1:${port}`
  const settings = path.join(directory, 'collector.yaml')
  const configFile = path.join(directory, 'tracing.yaml')
  await writeFile(settings, formatSettings(endpoint))
  await writeFile(configFile, `apiVersion: apiserver.config.k8s.io/v1\nkind: TracingConfiguration\nendpoint: ${endpoint}\n`)
  const child = spawn(binary, [settings], { stdio: ['ignore', 'ignore', 'pipe'] })
  let output = ''
  child.stderr.on('data', (data: Buffer) => (output += data.toString()))
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const waitFor = async <T>(find: () => T | undefined, what: string): Promise<T> => {
    for (const until = Date.now() + 60_000; Date.now() < until;) {
      const found = find()
      if (found !== undefined) return found
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
    throw new Error(`${what}\n${output.slice(-5000)}`)
  }
  await waitFor(() => (output.includes('Everything is ready') ? true : undefined), 'the collector did not start')
  return {
    endpoint,
    configFile,
    spansOf: (traceId, isComplete) =>
      waitFor(() => {
        const spans = parseSpans(output).filter((span) => span.traceId === traceId)
        return isComplete(spans) ? spans : undefined
      }, `the spans of the trace ${traceId} did not arrive`),
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await exited
      await rm(directory, { recursive: true, force: true })
    },
  }
}

function formatSettings(endpoint: string): string {
  return JSON.stringify({
    receivers: { otlp: { protocols: { grpc: { endpoint } } } },
    exporters: { debug: { verbosity: 'detailed' } },
    service: { telemetry: { metrics: { level: 'none' } }, pipelines: { traces: { receivers: ['otlp'], exporters: ['debug'] } } },
  })
}

/** Reads the spans in the output of the collector's debug exporter. */
export function parseSpans(output: string): readonly ReceivedSpan[] {
  return output
    .split(/ResourceSpans #\d+\n/)
    .slice(1)
    .flatMap(parseResource)
}

function parseResource(text: string): readonly ReceivedSpan[] {
  const [head = '', ...spans] = text.split(/^Span #\d+\n/m)
  const resource = parseAttributes(head, /^ {5}-> ([^:]+): \w+\((.*)\)$/gm)
  return spans.map((span) => {
    const readField = (name: string): string => new RegExp(`^ {4}${name} *: (.*)$`, 'm').exec(span)?.[1] ?? ''
    const [beforeEvents = '', events = ''] = span.split(/^Events:\n/m)
    return {
      traceId: readField('Trace ID'),
      parentId: readField('Parent ID'),
      id: readField('ID'),
      name: readField('Name'),
      kind: readField('Kind'),
      attributes: parseAttributes(beforeEvents, /^ {5}-> ([^:]+): \w+\((.*)\)$/gm),
      events: Array.from(events.matchAll(/^ {5}-> Name: (.*)$/gm), (match) => match[1]!),
      resource,
    }
  })
}

function parseAttributes(text: string, pattern: RegExp): Readonly<Record<string, string>> {
  return Object.fromEntries(Array.from(text.matchAll(pattern), (match) => [match[1]!, match[2]!]))
}
