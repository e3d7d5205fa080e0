// SPDX-License-Identifier: Apache-2.0

/// Takes requests of OTLP over HTTP, looks whether they can be recorded, and hands out what to answer.
///
///     let intake = OTLPIntake { bytes, form in spool.keep(bytes, form) }
///     let answer = intake.answer(request)
///
/// What is kept was read once: a sender hears of what is wrong with it while it can still say so.
package struct OTLPIntake {
  /// Keeps what came, inflated; why not, where it does not.
  private let keep: ([UInt8], OTLPBatch.Form) -> String?

  package init(keep: @escaping ([UInt8], OTLPBatch.Form) -> String?) { self.keep = keep }

  /// What to answer; a batch that is taken was kept before.
  package func answer(_ request: OTLPRequest) -> OTLPAnswer {
    let form = Self.form(request.contentType)
    do throws(Refused) {
      guard let signal = OTLPAnswer.Signal(rawValue: request.path) else {
        throw Refused(.notFound, Self.whereTo(request.path))
      }
      guard request.method == "POST" else {
        throw Refused(.methodNotAllowed, "\(request.path) takes POST, and nothing else")
      }
      guard let form else {
        let type = request.contentType.isEmpty ? "missing" : "\"\(request.contentType)\""
        throw Refused(
          .unsupported,
          "the Content-Type is \(type): application/x-protobuf or application/json would do"
        )
      }
      let bytes = try plain(request)
      let batch: OTLPBatch
      do throws(OTLPError) {
        batch = try OTLPBatch(bytes, as: form)
      } catch {
        throw Refused(.badRequest, "not a batch of OTLP: \(error.description)")
      }
      if !batch.isEmpty, let why = keep(bytes, form) {
        return OTLPAnswer(taking: signal, but: batch.records + batch.spansRefused, why, in: form)
      }
      return OTLPAnswer(
        taking: signal,
        but: batch.spansRefused,
        "a span needs the id of a trace and one of its own",
        in: form
      )
    } catch {
      return OTLPAnswer(refusing: error.refusal, error.why, in: form ?? .json)
    }
  }

  private struct Refused: Error {
    let refusal: OTLPAnswer.Refusal
    let why: String

    init(_ refusal: OTLPAnswer.Refusal, _ why: String) {
      (self.refusal, self.why) = (refusal, why)
    }
  }

  /// What a media type names, whatever its parameters; nil for another.
  private static func form(_ contentType: String) -> OTLPBatch.Form? {
    switch word(contentType.prefix { $0 != ";" }) {
    case "application/x-protobuf", "application/protobuf": .protobuf
    case "application/json": .json
    default: nil
    }
  }

  private static func word(_ text: Substring) -> String {
    text.filter { $0 != " " && $0 != "\t" }.lowercased()
  }

  private static func whereTo(_ path: String) -> String {
    if path == "/v1/metrics" {
      return "metrics are not recorded: OTEL_METRICS_EXPORTER=none sends none"
    }
    return "there is nothing at this path: spans go to /v1/traces, log records to /v1/logs"
  }

  /// The body as it was before it was compressed, within limits.
  private func plain(_ request: OTLPRequest) throws(Refused) -> [UInt8] {
    guard request.body.count <= OTLPLimits.bodyBytesMax else {
      throw Refused(
        .tooLarge,
        "\(request.body.count) bytes, and at most \(OTLPLimits.bodyBytesMax) are taken: send smaller "
          + "batches (OTEL_BSP_MAX_EXPORT_BATCH_SIZE)"
      )
    }
    switch Self.word(request.contentEncoding[...]) {
    case "", "identity": return request.body
    case "gzip":
      do throws(Gunzip.Problem) {
        return try Gunzip.inflate(
          request.body,
          bytesMax: OTLPLimits.inflatedBytesMax,
          ratioMax: OTLPLimits.ratioMax
        )
      } catch {
        let why = "what gzip has compressed \(error.words)"
        if case .tooLong = error { throw Refused(.tooLarge, why) }
        throw Refused(.badRequest, why)
      }
    default:
      throw Refused(
        .unsupported,
        "the Content-Encoding is \"\(request.contentEncoding)\": gzip or none would do"
      )
    }
  }
}
