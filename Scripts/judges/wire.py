# SPDX-License-Identifier: Apache-2.0
"""What stands in an export for Perfetto, by the classes that Perfetto's own package brings."""
from collections import defaultdict

from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as pb


class Wire:
    def __init__(self, path):
        trace = pb.Trace()
        trace.ParseFromString(open(path, "rb").read())
        names, categories, keys = {}, {}, {}
        tracks, events = {}, []
        for packet in trace.packet:
            data = packet.interned_data
            names.update((entry.iid, entry.name) for entry in data.event_names)
            categories.update((entry.iid, entry.name) for entry in data.event_categories)
            keys.update((entry.iid, entry.name) for entry in data.debug_annotation_names)
            if packet.HasField("track_descriptor"):
                tracks[packet.track_descriptor.uuid] = packet.track_descriptor
            if packet.HasField("track_event"):
                events.append((packet.timestamp, packet.track_event))
        events.sort(key=lambda event: event[0])

        def process(uuid):
            while uuid in tracks:
                if tracks[uuid].HasField("process"):
                    return tracks[uuid].process.process_name
                uuid = tracks[uuid].parent_uuid
            return None

        # (process, time, length, name, category, number of the event)
        self.slices, self.flows, self.counters = [], [], []
        open_slices, starts = defaultdict(list), {}
        for time, event in events:
            name = event.name or names.get(event.name_iid, "")
            category = event.categories[0] if event.categories else None
            if event.category_iids:
                category = categories[event.category_iids[0]]
            number = None
            for annotation in event.debug_annotations:
                if keys[annotation.name_iid] == "event" and annotation.HasField("uint_value"):
                    number = annotation.uint_value
            owner = process(event.track_uuid)
            if event.type == pb.TrackEvent.TYPE_SLICE_BEGIN:
                open_slices[event.track_uuid].append(len(self.slices))
                self.slices.append([owner, time, -1, name, category, number])
            elif event.type == pb.TrackEvent.TYPE_SLICE_END:
                begun = self.slices[open_slices[event.track_uuid].pop()]
                begun[2] = time - begun[1]
            elif event.type == pb.TrackEvent.TYPE_INSTANT:
                self.slices.append([owner, time, 0, name, category, number])
            elif event.type == pb.TrackEvent.TYPE_COUNTER:
                track = tracks[event.track_uuid].name
                self.counters.append((owner, track, time, event.counter_value))
            for flow in event.flow_ids:
                starts[flow] = (time, name)
            for flow in event.terminating_flow_ids:
                if flow in starts:
                    self.flows.append(starts.pop(flow) + (time, name))
        self.slices = sorted(map(tuple, self.slices), key=repr)
        self.flows.sort()
        self.counters.sort(key=repr)
        self.instants = sum(
            1 for _, event in events if event.type == pb.TrackEvent.TYPE_INSTANT
        )
