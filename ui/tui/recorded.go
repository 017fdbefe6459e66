package tui

import "locktop/ui/text"

// recorderBadge says that what is seen is recorded, or that it should be and is not.
func (m *model) recorderBadge() []segment {
	if m.config.Recorder == nil {
		return nil
	}
	written, err := m.config.Recorder.Status()
	if err != nil {
		return []segment{piece(0, m.theme.badgeBad, " NOT RECORDING ")}
	}
	return []segment{piece(1, m.theme.bad, "● REC "+text.Bytes(written))}
}

// lookAtRecorder says once that nothing is recorded any more. The dashboard goes on.
func (m *model) lookAtRecorder() {
	if m.config.Recorder == nil || m.unrecorded {
		return
	}
	if _, err := m.config.Recorder.Status(); err != nil {
		m.unrecorded = true
		m.toast = failedToast("not recording any more: "+errorText(err), m.clock())
	}
}
