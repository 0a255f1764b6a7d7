package metrics

import "github.com/prometheus/procfs"

// tellProcess says what the system knows of this process. What it does not tell is left out.
func tellProcess(t *text) {
	p, err := procfs.Self()
	if err != nil {
		return
	}
	if stat, err := p.Stat(); err == nil {
		t.counter("process_cpu_seconds_total", "Time of processors, of the system's work for it too.", stat.CPUTime())
		t.gauge("process_virtual_memory_bytes", "Size of the address space.", float64(stat.VirtualMemory()))
		t.gauge("process_resident_memory_bytes", "Memory that is resident.", float64(stat.ResidentMemory()))
		if at, err := stat.StartTime(); err == nil {
			t.gauge("process_start_time_seconds", "When the process began.", at)
		}
	}
	if n, err := p.FileDescriptorsLen(); err == nil {
		t.gauge("process_open_fds", "Open files and connections.", float64(n))
	}
	if limits, err := p.Limits(); err == nil {
		t.gauge("process_max_fds", "Files and connections that may be open.", float64(limits.OpenFiles))
		t.gauge("process_virtual_memory_max_bytes", "How large the address space may be.", float64(limits.AddressSpace))
	}
	if net, err := p.Netstat(); err == nil && net.InOctets != nil && net.OutOctets != nil {
		t.counter("process_network_receive_bytes_total", "Bytes that came over its network.", *net.InOctets)
		t.counter("process_network_transmit_bytes_total", "Bytes that went over its network.", *net.OutOctets)
	}
}
