export type Stability = 'STABLE' | 'BETA' | 'ALPHA'

/** A metric of kube-apiserver that dashboards and alerts rely on. */
export interface MetricFact {
  readonly name: string
  readonly type: 'counter' | 'gauge' | 'histogram' | 'summary'
  /** Stability level in the help text. Undefined for process metrics, which every Prometheus client library has. */
  readonly stability: Stability | undefined
  /** Sorted label names. */
  readonly labels: readonly string[]
  /** Bucket bounds of a histogram, without `+Inf`. */
  readonly bounds: readonly string[]
}

const request = 'component dry_run group resource scope subresource verb version'
const sli = 'component group resource scope subresource verb version'
const object = 'group resource'
const admission = 'operation rejected type'
const conditions = 'kind name operation type'
const level = 'priority_level'
const flow = 'flow_schema priority_level'
const waitBounds = '0 0.005 0.02 0.05 0.1 0.2 0.5 1 2 5 10 15 30'
const policyCheck = 'enforcement_action error_type policy policy_binding'
const mutation = 'error_type policy policy_binding'
const sliBounds = '0.05 0.1 0.2 0.4 0.6 0.8 1 1.25 1.5 2 3 4 5 6 8 10 15 20 30 45 60'
const goDefaults = '0.005 0.01 0.025 0.05 0.1 0.25 0.5 1 2.5 5 10'
const doubling = '0.001 0.002 0.004 0.008 0.016 0.032 0.064 0.128 0.256 0.512 1.024 2.048 4.096 8.192 16.384'
const bounds: Readonly<Record<string, string>> = {
  etcd_request_duration_seconds: `0.005 0.025 ${sliBounds}`,
  apiserver_request_duration_seconds: `0.005 0.025 ${sliBounds}`,
  apiserver_request_sli_duration_seconds: sliBounds,
  apiserver_flowcontrol_demand_seats: '0.2 0.4 0.6 0.8 1 1.2 1.4 1.7 2 2.8 4 6',
  apiserver_flowcontrol_priority_level_request_utilization: '0 0.001 0.003 0.01 0.03 0.1 0.25 0.5 0.75 1',
  apiserver_flowcontrol_priority_level_seat_utilization: '0 0.1 0.2 0.3 0.4 0.5 0.6 0.7 0.8 0.9 0.95 0.99 1',
  apiserver_flowcontrol_read_vs_write_current_requests: '0 0.001 0.01 0.1 0.2 0.3 0.4 0.5 0.6 0.7 0.8 0.9 0.95 0.99 1',
  apiserver_flowcontrol_request_execution_seconds: waitBounds,
  apiserver_flowcontrol_request_queue_length_after_enqueue: '0 10 25 50 100 250 500 1000',
  apiserver_flowcontrol_request_wait_duration_seconds: waitBounds,
  apiserver_flowcontrol_watch_count_samples: '0 1 10 100 1000 10000',
  apiserver_flowcontrol_work_estimated_seats: '1 2 4 8 16 32 64 100',
  apiserver_response_sizes: '1000 10000 100000 1e+06 1e+07 1e+08 1e+09',
  apiserver_watch_list_duration_seconds: '0.05 0.1 0.2 0.4 0.6 0.8 1 2 4 6 8 10 15 20 30 45 60',
  apiserver_watch_events_sizes: '1024 2048 4096 8192 16384 32768 65536 131072',
  apiserver_watch_cache_read_wait_seconds: '0.005 0.025 0.05 0.1 0.2 0.4 0.6 0.8 1 1.25 1.5 2 3',
  apiserver_client_certificate_expiration_seconds:
    '0 1800 3600 7200 21600 43200 86400 172800 345600 604800 2.592e+06 7.776e+06 1.5552e+07 3.1104e+07',
  apiserver_admission_step_admission_duration_seconds: '0.005 0.025 0.1 0.5 1 2.5',
  apiserver_admission_controller_admission_duration_seconds: '0.005 0.025 0.1 0.5 1 2.5',
  apiserver_admission_webhook_admission_duration_seconds: '0.005 0.025 0.1 0.5 1 2.5 10 25',
  apiserver_admission_match_condition_evaluation_seconds: '0.001 0.005 0.01 0.025 0.1 0.2 0.25',
  apiserver_impersonation_attempts_duration_seconds: doubling,
  apiserver_impersonation_authorization_attempts_duration_seconds: doubling,
  authentication_duration_seconds: doubling,
  apiserver_cel_compilation_duration_seconds: goDefaults,
  apiserver_cel_evaluation_duration_seconds: goDefaults,
  apiserver_mutating_admission_policy_check_duration_seconds: '5e-07 0.001 0.01 0.1 1',
  apiserver_validating_admission_policy_check_duration_seconds: '5e-07 0.001 0.01 0.1 1',
  authentication_token_cache_request_duration_seconds: goDefaults,
  authorization_duration_seconds: doubling,
  workqueue_queue_duration_seconds: '1e-08 1e-07 1e-06 9.999999999999999e-06 9.999999999999999e-05 0.001 0.01 0.1 1 10',
  workqueue_work_duration_seconds: '1e-08 1e-07 1e-06 9.999999999999999e-06 9.999999999999999e-05 0.001 0.01 0.1 1 10',
}

/** Label names by metric name, grouped by "type stability". */
const table: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'counter STABLE': {
    apiserver_request_total: `code ${request}`,
  },
  'gauge STABLE': {
    apiserver_current_inflight_requests: 'request_kind',
    apiserver_longrunning_requests: sli,
    apiserver_requested_deprecated_apis: 'group removed_release resource subresource version',
    apiserver_storage_objects: 'resource',
    apiserver_storage_size_bytes: 'storage_cluster_id',
  },
  'histogram STABLE': {
    apiserver_admission_controller_admission_duration_seconds: `name ${admission}`,
    apiserver_admission_step_admission_duration_seconds: admission,
    apiserver_admission_webhook_admission_duration_seconds: `name ${admission}`,
    apiserver_request_duration_seconds: request,
    apiserver_response_sizes: sli,
  },
  'counter BETA': {
    apiserver_flowcontrol_dispatched_requests_total: flow,
    disabled_metrics_total: '',
    hidden_metrics_total: '',
    registered_metrics_total: 'deprecated_version stability_level',
    apiserver_storage_events_received_total: object,
    apiserver_validating_admission_policy_check_total: policyCheck,
    workqueue_adds_total: 'name',
    workqueue_retries_total: 'name',
  },
  'gauge BETA': {
    apiserver_flowcontrol_current_executing_requests: flow,
    apiserver_flowcontrol_current_executing_seats: flow,
    apiserver_flowcontrol_current_inqueue_requests: flow,
    apiserver_flowcontrol_nominal_limit_seats: level,
    kubernetes_build_info: 'build_date compiler git_commit git_tree_state git_version go_version major minor platform',
    kubernetes_feature_enabled: 'name stage',
    workqueue_depth: 'name',
    workqueue_longest_running_processor_seconds: 'name',
    workqueue_unfinished_work_seconds: 'name',
  },
  'histogram BETA': {
    apiserver_flowcontrol_request_wait_duration_seconds: `execute ${flow}`,
    apiserver_watch_list_duration_seconds: 'group resource scope version',
    apiserver_cel_compilation_duration_seconds: '',
    apiserver_cel_evaluation_duration_seconds: '',
    apiserver_validating_admission_policy_check_duration_seconds: policyCheck,
    workqueue_queue_duration_seconds: 'name',
    workqueue_work_duration_seconds: 'name',
  },
  'summary ALPHA': { apiserver_admission_step_admission_duration_seconds_summary: admission },
  'counter ALPHA': {
    cardinality_enforcement_unexpected_categorizations_total: '',
    apiserver_kube_aggregator_x509_insecure_sha1_total: '',
    apiserver_kube_aggregator_x509_missing_san_total: '',
    apiserver_admission_match_condition_evaluation_errors_total: conditions,
    apiserver_admission_match_condition_exclusions_total: conditions,
    apiserver_admission_webhook_fail_open_count: 'name type',
    apiserver_admission_webhook_rejection_count: 'error_type name operation rejection_code type',
    apiserver_admission_webhook_request_total: `code name ${admission}`,
    apiserver_authorization_decisions_total: 'decision name type',
    apiserver_mutating_admission_policy_check_total: mutation,
    apiserver_cache_list_fetched_objects_total: 'group index resource',
    apiserver_cache_list_returned_objects_total: object,
    apiserver_cache_list_total: 'group index resource',
    apiserver_impersonation_attempts_total: 'decision mode',
    apiserver_impersonation_authorization_attempts_total: 'decision mode',
    apiserver_init_events_total: object,
    apiserver_storage_list_evaluated_objects_total: object,
    apiserver_storage_list_fetched_objects_total: object,
    apiserver_storage_list_returned_objects_total: object,
    apiserver_storage_list_total: object,
    apiserver_tls_handshake_errors_total: '',
    apiserver_watch_cache_consistent_read_total: 'fallback group resource success',
    apiserver_watch_cache_events_dispatched_total: object,
    apiserver_watch_cache_events_received_total: object,
    apiserver_watch_cache_initializations_total: object,
    apiserver_watch_events_total: 'group resource version',
    authenticated_user_requests: 'username',
    authentication_attempts: 'result',
    authentication_token_cache_fetch_total: 'status',
    authentication_token_cache_request_total: 'status',
    authorization_attempts_total: 'result',
    etcd_bookmark_total: object,
    serviceaccount_invalid_legacy_auto_token_uses_total: '',
    serviceaccount_legacy_auto_token_uses_total: '',
    serviceaccount_legacy_manual_token_uses_total: '',
    serviceaccount_legacy_tokens_total: '',
    serviceaccount_stale_tokens_total: '',
    serviceaccount_valid_tokens_total: '',
    pod_security_evaluations_total: 'decision mode policy_level policy_version request_operation resource subresource',
    etcd_requests_total: 'group operation resource',
  },
  'gauge ALPHA': {
    apiserver_current_inqueue_requests: 'request_kind',
    apiserver_flowcontrol_current_inqueue_seats: flow,
    apiserver_flowcontrol_current_limit_seats: level,
    apiserver_flowcontrol_current_r: level,
    apiserver_flowcontrol_demand_seats_average: level,
    apiserver_flowcontrol_demand_seats_high_watermark: level,
    apiserver_flowcontrol_demand_seats_smoothed: level,
    apiserver_flowcontrol_demand_seats_stdev: level,
    apiserver_flowcontrol_dispatch_r: level,
    apiserver_flowcontrol_latest_s: level,
    apiserver_flowcontrol_lower_limit_seats: level,
    apiserver_flowcontrol_next_discounted_s_bounds: `bound ${level}`,
    apiserver_flowcontrol_next_s_bounds: `bound ${level}`,
    apiserver_flowcontrol_seat_fair_frac: '',
    apiserver_flowcontrol_target_seats: level,
    apiserver_flowcontrol_upper_limit_seats: level,
    aggregator_unavailable_apiservice: 'name',
    authentication_token_cache_active_fetch_count: 'status',
    apiserver_resource_objects: object,
    apiserver_resource_size_estimate_bytes: object,
    apiserver_watch_cache_resource_version: object,
    watch_cache_capacity: object,
  },
  'histogram ALPHA': {
    apiserver_flowcontrol_demand_seats: level,
    apiserver_flowcontrol_priority_level_request_utilization: `phase ${level}`,
    apiserver_flowcontrol_priority_level_seat_utilization: `phase ${level}`,
    apiserver_flowcontrol_read_vs_write_current_requests: 'phase request_kind',
    apiserver_flowcontrol_request_execution_seconds: `${flow} type`,
    apiserver_flowcontrol_request_queue_length_after_enqueue: flow,
    apiserver_flowcontrol_watch_count_samples: flow,
    apiserver_flowcontrol_work_estimated_seats: flow,
    apiserver_admission_match_condition_evaluation_seconds: conditions,
    apiserver_client_certificate_expiration_seconds: '',
    apiserver_impersonation_attempts_duration_seconds: 'decision mode',
    apiserver_impersonation_authorization_attempts_duration_seconds: 'decision mode',
    apiserver_mutating_admission_policy_check_duration_seconds: mutation,
    apiserver_request_sli_duration_seconds: sli,
    apiserver_watch_cache_read_wait_seconds: object,
    apiserver_watch_events_sizes: 'group resource version',
    authentication_duration_seconds: 'result',
    authentication_token_cache_request_duration_seconds: 'status',
    authorization_duration_seconds: 'result',
    etcd_request_duration_seconds: 'group operation resource',
  },
  counter: { process_cpu_seconds_total: '' },
  gauge: {
    process_max_fds: '',
    process_open_fds: '',
    process_resident_memory_bytes: '',
    process_start_time_seconds: '',
    process_virtual_memory_bytes: '',
  },
}

export const metricFacts: readonly MetricFact[] = Object.entries(table).flatMap(([kind, metrics]) => {
  const [type, stability] = kind.split(' ') as [MetricFact['type'], Stability | undefined]
  return Object.entries(metrics).map(([name, labels]) => ({
    name,
    type,
    stability,
    labels: splitWords(labels).toSorted(),
    bounds: splitWords(bounds[name] ?? ''),
  }))
})

function splitWords(text: string): string[] {
  return text.split(' ').filter((word) => word !== '')
}
