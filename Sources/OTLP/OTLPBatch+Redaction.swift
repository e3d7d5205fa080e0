// SPDX-License-Identifier: Apache-2.0
import LifetraceJSON

extension OTLPBatch {
  /// Puts what `body` answers in the place of each text that would be recorded.
  package mutating func replaceTexts(_ body: (String) -> String) {
    func value(_ json: JSON) -> JSON {
      switch json {
      case .string(let text): .string(body(text))
      case .array, .members: .string(body(json.text))
      default: json
      }
    }
    func values(_ attributes: [(key: String, value: JSON)]) -> [(key: String, value: JSON)] {
      attributes.map { ($0.key, value($0.value)) }
    }
    func log(_ log: Log) -> Log {
      var log = log
      (log.name, log.body) = (body(log.name), body(log.body))
      log.attributes = values(log.attributes)
      return log
    }
    resources = resources.map { resource in
      var resource = resource
      resource.attributes = values(resource.attributes)
      resource.logs = resource.logs.map(log)
      resource.spans = resource.spans.map { span in
        var span = span
        span.name = body(span.name)
        span.attributes = values(span.attributes)
        span.events = span.events.map(log)
        return span
      }
      return resource
    }
  }
}
