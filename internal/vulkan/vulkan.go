//go:build cgo && linux

// Package vulkan lists the devices that Vulkan drivers offer on this machine.
package vulkan

/*
#cgo LDFLAGS: -ldl
#include <dlfcn.h>
#include <stdint.h>
#include <string.h>

// Parts of vulkan_core.h: VkInstanceCreateInfo, and VkPhysicalDeviceProperties up to the name.
struct create_info {
	int32_t type;
	const void *next;
	uint32_t flags;
	const void *application;
	uint32_t layers;
	const void *layer_names;
	uint32_t extensions;
	const void *extension_names;
};
struct properties {
	uint32_t versions_and_kind[5];
	char name[256];
	uint64_t rest[256];
};

enum { devices_listed = 8 };

// list writes the name of each device to names, 256 bytes per name, and returns the number of
// devices, or -1 if there is no Vulkan loader.
static int list(char *names) {
	void *library = dlopen("libvulkan.so.1", RTLD_NOW | RTLD_LOCAL);
	if (!library)
		return -1;
	int32_t (*create)(struct create_info *, void *, void **) = dlsym(library, "vkCreateInstance");
	int32_t (*enumerate)(void *, uint32_t *, void **) = dlsym(library, "vkEnumeratePhysicalDevices");
	void (*describe)(void *, struct properties *) = dlsym(library, "vkGetPhysicalDeviceProperties");
	void (*destroy)(void *, void *) = dlsym(library, "vkDestroyInstance");
	struct create_info info = {.type = 1};
	void *instance, *devices[devices_listed];
	uint32_t count = devices_listed;
	if (!create || !enumerate || !describe || !destroy || create(&info, NULL, &instance) < 0)
		return 0;
	if (enumerate(instance, &count, devices) < 0)
		count = 0;
	for (uint32_t i = 0; i < count; i++) {
		struct properties p;
		describe(devices[i], &p);
		memcpy(names + 256 * i, p.name, 256);
	}
	destroy(instance, NULL);
	return count;
}
*/
import "C"

import (
	"bytes"
	"errors"
	"unsafe"
)

// Devices returns the names of up to eight devices. The error says what is missing.
func Devices() (names []string, err error) {
	var text [C.devices_listed][256]byte
	switch n := int(C.list((*C.char)(unsafe.Pointer(&text)))); n {
	case -1:
		return nil, errors.New("no Vulkan loader (libvulkan.so.1)")
	case 0:
		return nil, errors.New("no Vulkan driver reports a device")
	default:
		for _, name := range text[:n] {
			name, _, _ := bytes.Cut(name[:], []byte{0})
			names = append(names, string(name))
		}
		return names, nil
	}
}
